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

/**
 * The drop that is watched. over: the last move before it; dropped: how many files the page got.
 * @type {{over: DragEvent | null, dropped: number}}
 */
let watchedDrop = { over: null, dropped: 0 };
const DROPS = ['dragover', 'drop'];
const droppedFiles = reader(DataTransfer, 'files');
const transferOf = reader(DragEvent, 'dataTransfer');
const isPrevented = reader(Event, 'defaultPrevented');

/** Watches what the page does with files that are dragged over an element, by listeners of this world. @param {number}
 * id */
function watchDrop(id) {
  const element = resolveElement(id);
  watchedDrop = { over: null, dropped: 0 };
  if (element) listen([defaultView_.call(documentOf(element))], DROPS, onDrop, true);
}

/** @param {DragEvent} event */
function onDrop(event) {
  if (!isTrusted_(event)) return;
  if (event.type === 'dragover') watchedDrop.over = event;
  else watchedDrop.dropped = droppedFiles(transferOf(event)).length;
}

/** @returns {{accepted: boolean, dropped: number}} accepted: a drop where the files are now would go to the page */
function dropState() {
  const { over, dropped } = watchedDrop;
  return { accepted: over !== null && isPrevented(over), dropped };
}

function stopWatchingDrop() {
  unlisten(onDrop);
  watchedDrop = { over: null, dropped: 0 };
}

/** Whether an element is there to be pressed, as far as its role and its listeners tell. @param {number} id */
function isToBePressed(id) {
  const element = resolveElement(id);
  if (!element) return false;
  return (
    INTERACTIVE.has(roleOf(element)) ||
    (matches(element, NOTABLE_SELECTOR) && clickableByAttributes(element) === CLICKABLE) ||
    listening.has(element) ||
    computedStyleOf(element).cursor === 'pointer'
  );
}
