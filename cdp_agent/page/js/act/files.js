// File fields.

const FILE_FIELD = 'input[type="file" i]';
const takesSeveral = reader(HTMLInputElement, 'multiple');
const takesFolder = reader(HTMLInputElement, 'webkitdirectory');

/**
 * The file field for an element: itself, that of a label, or the only one in it, visible or not; local is 0 if there is
 * none.
 * @param {number} id @returns {{local: number, multiple: boolean, folder: boolean, accept: string, refusal: Obstacle |
 *   null}}
 */
function fileField(id) {
  const element = resolveElement(id);
  const none = { local: 0, multiple: false, folder: false, accept: '', refusal: null };
  if (!element) return { ...none, refusal: { why: 'gone', detail: '', by: null, said: { role: '', name: '' } } };
  const candidates = matches(element, FILE_FIELD) ? [element] : selectAllDeep(element, FILE_FIELD);
  const control = controlOfLabel(element);
  if (control && matches(control, FILE_FIELD)) candidates.unshift(control);
  const field = candidates[0];
  if (!field || (candidates.length > 1 && candidates[1] !== field)) return none;
  if (matches(field, ':disabled')) return { ...none, refusal: obstacle('disabled', null, element) };
  const local = field === element ? id : internalIdOf(field);
  return {
    local,
    multiple: takesSeveral(field),
    folder: takesFolder(field),
    accept: attr(field, 'accept') ?? '',
    refusal: null,
  };
}

/** The names of the selected files. @param {number} id */
function fileNames(id) {
  const field = resolveElement(id);
  return field ? [...inputFiles(field)].map((file) => file.name).join(', ') : '';
}
