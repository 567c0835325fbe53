// Rich text: the content of an editing host, block by block, with **bold**, *italic*, ~~struck~~ and `code` in
// Markdown. For the caret see caret.js. Parts that are not editable (contenteditable=false) are read as outside of
// editors.

// Flags inherited by all descendants, in addition to those of tree.js.
const IN_EDITOR = 1024; // inside an editing host
const SHOWN_SHIFT = 11; // four bits: marks of the text that are written
const BASE_SHIFT = 15; // marks of the whole block, as a heading is bold: not written
const IS_BOLD = 1;
const IS_ITALIC = 2;
const IS_STRUCK = 4;
const IS_CODE = 8;
const ALL_MARKS = 15;
const EDITING_FLAGS = IN_EDITOR | (ALL_MARKS << SHOWN_SHIFT) | (ALL_MARKS << BASE_SHIFT);

// Markers in gathered text; control characters of the page itself are removed before.
const LINE_BREAK = '\x08';
const CARET = '\x0e';
const SELECTION_START = '\x0f';
const SELECTION_END = '\x10';
const PRESERVED_SPACE = '\x11';
const MARKS_PREFIX = '\x12'; // the next character encodes the marks of the text after it: "@" for none
const GENERATED_MARK = '\x15'; // around generated text (::before, ::after) of an inline element without other text
const GENERATED_TEXTS = /\x15([^\x15]*)\x15/g;
const CONTROLS = /[\x00-\x1f]/g;

const isContentEditable = reader(HTMLElement, 'isContentEditable');
const designMode_ = getterOf(Document.prototype, 'designMode');
const isDesignMode = (root) => designMode_.call(root) === 'on';

const isEditable = (element) => {
  const namespace = namespaceURI_.call(element);
  return namespace === HTML && (isContentEditable(element) || Boolean(element.editContext));
};

// The roles of fields; editing hosts with other roles keep these and are [editable].
const EDITING_ROLES = roleSet('textbox searchbox combobox spinbutton');

/** Whether it is rendered as an editor: an editing host, or a text box that is not editable at the moment. */
function isEditor(element, tag, role) {
  if (isEditingHost(element)) return true;
  return role === 'textbox' && attr(element, 'contenteditable')?.toLowerCase() === 'false';
}

/** Adds an editor and its content. A single plain paragraph is put into the editor's own line. */
function visitEditor(element, tag, role, parent, flags, depth) {
  const line = fieldLine(element, tag, role || 'textbox', flags);
  const isField = EDITING_ROLES.has(line.role);
  if (!isField && !hasAnyName(element)) line.name = '';
  if (!isField) line.states = ` [editable]${line.states}`;
  else if (!isEditingHost(element) && !line.states.includes('[readonly]')) line.states += ' [readonly]';
  if (isField && attr(element, 'aria-multiline')?.toLowerCase() === 'true') line.states += ' [multiline]';
  const style = computedStyleOf(element);
  const inner = newLine(element, tag, '');
  const base =
    (flags & ~EDITING_FLAGS & ~TEXT_IGNORED & ~NO_TEXT & ~UNNAMED_ICON) |
    IN_EDITOR |
    IN_CLICKABLE |
    (textMarks(tag, style) << BASE_SHIFT);
  const all = reading.selected?.host === element && reading.selected.all;
  const placeholder = visitEditedContents(element, tag, inner, base, depth);
  takeBlocks(line, inner.kids);
  if (all) line.states += ' [selection=all]';
  if (line.kids.length === 0) line.states += placeholderState(element, line, placeholder);
  if (!isField) nameBlock(line);
  parent.kids.push(line);
}

/** Puts blocks into a line: a single paragraph becomes the line's own text. */
function takeBlocks(line, kids) {
  const blocks = blocksOf(kids, line);
  if (blocks.length === 1 && isParagraph(blocks[0])) takeParagraph(line, blocks[0], []);
  else line.kids = blocks;
}

function takeParagraph(line, paragraph, others) {
  line.kids = [...paragraph.kids, ...others];
  line.states += paragraph.states;
}

const isParagraph = (kid) => typeof kid !== 'string' && kid.role === 'paragraph' && kid.id === 0;

/** Names headings, check boxes and the like by their content. */
function nameBlock(line) {
  if (!NAMED_BY_CONTENT.has(line.role) || SHOWN_BY_CHILD_LINES.has(line.role)) return;
  line.name = line.kids
    .map((kid) => (typeof kid === 'string' ? kid : kid.name))
    .filter(Boolean)
    .join(' ')
    .replaceAll('\n', ' ');
  line.kids = linesOf(line.kids);
}

const PLACEHOLDERS = '.cm-placeholder,[data-slate-placeholder]';

/** The placeholder of an empty editor, from an attribute, an element or a style sheet. */
function placeholderState(element, line, generated) {
  if (line.states.includes('placeholder=')) return '';
  const shown = selectAll(element, PLACEHOLDERS)[0];
  const text = collapse(generated || attr(element, 'data-placeholder') || (shown ? textContent(shown) : ''));
  return text && text !== line.name ? ` [placeholder=${quote(cut(text, 200))}]` : '';
}

/** The marks of text with this style. */
function textMarks(tag, style) {
  const isItalic = style.fontStyle !== 'normal';
  const isStruck = style.textDecorationLine.includes('line-through');
  return (
    (Number(style.fontWeight) >= 600 ? IS_BOLD : 0) |
    (isItalic ? IS_ITALIC : 0) |
    (isStruck ? IS_STRUCK : 0) |
    (CODE_TAGS.has(tag) ? IS_CODE : 0)
  );
}

const CODE_TAGS = new Set(['CODE', 'KBD', 'SAMP', 'TT']);
// Roles that are usually styled: their bold or italic text is no mark.
const STYLED_ROLES = roleSet('heading blockquote columnheader rowheader caption code');

/** Adds a visible element inside of an editor. */
function visitEdited(element, tag, line, flags, depth, isNotable) {
  const role = roleOf(element, tag);
  if (isNonEditable(element, tag, isNotable)) visitNonEditable(element, tag, line, flags, depth, isNotable);
  else if (tag === 'BR') addText(line, LINE_BREAK);
  else if (tag === 'IMG') visitEditedImage(element, line, flags);
  else if (SPECIAL_TAGS[tag])
    SPECIAL_TAGS[tag](element, tag, role, line, flags & ~EDITING_FLAGS & ~IN_CLICKABLE, depth);
  else if (role === 'separator' && firstChild_.call(element) === null)
    line.kids.push(BREAK, newLine(element, tag, role), BREAK);
  else visitEditedText(element, tag, role, line, flags, depth, isNotable);
}

function visitEditedText(element, tag, role, line, flags, depth, isNotable) {
  const style = computedStyleOf(element);
  const isInlined =
    style.display.startsWith('inline') || style.display === 'contents' || style.display.startsWith('ruby');
  const inner = withMarks(flags, tag, style, role, isInlined);
  if (role === 'link') visitEditedLink(element, tag, line, flags, depth, isNotable);
  else if (isInlined) addGenerated(line, visitEditedContents(element, tag, line, inner, depth));
  else if (role === 'rowgroup') visitEditedContents(element, tag, line, inner, depth);
  else if (isCodeBlock(element, tag)) visitCodeBlock(element, tag, line, inner, depth);
  else if (BLOCK_ROLES.has(role) || INTERACTIVE.has(role)) visitEditedBlock(element, tag, role, line, inner, depth);
  else visitEditedParagraph(element, tag, line, inner, depth);
}

const BLOCK_ROLES = roleSet(
  'heading list listitem blockquote table row cell gridcell columnheader rowheader caption definition term figure',
);

/** The flags for the content of an element with this style. */
function withMarks(flags, tag, style, role, isInlined) {
  const before = (flags >> SHOWN_SHIFT) & ALL_MARKS;
  let base = (flags >> BASE_SHIFT) & ALL_MARKS;
  let marks = textMarks(tag, style);
  if (!isInlined && (STYLED_ROLES.has(role) || isCodeBlock(null, tag))) base |= marks;
  if (ATOMIC_ROLES.has(role) && role !== 'link') base = ALL_MARKS; // its content is its name
  // Line-through and code are not inherited as computed styles: they come from the elements around.
  marks |= before & (IS_STRUCK | IS_CODE);
  return (
    (flags & ~(ALL_MARKS << SHOWN_SHIFT) & ~(ALL_MARKS << BASE_SHIFT)) |
    ((marks & ~base) << SHOWN_SHIFT) |
    (base << BASE_SHIFT)
  );
}

const isNonEditable = (element, tag, isNotable) =>
  (isNotable && attr(element, 'contenteditable')?.toLowerCase() === 'false') ||
  (mayHost(tag) && rootOfHost(element) !== null);

/**
 * Adds what is not editable, read as outside of editors. If it is only text, as a mention is, it is put in brackets.
 */
function visitNonEditable(element, tag, line, flags, depth, isNotable) {
  if (matches(element, PLACEHOLDERS)) return;
  const inner = newLine(element, tag, '');
  visitVisible(element, tag, inner, flags & ~EDITING_FLAGS & ~IN_CLICKABLE, depth, isNotable);
  const kids = tidy(inner.kids);
  if (!kids.length) return;
  const isInlined = computedStyleOf(element).display.startsWith('inline');
  const isText = linesOf(kids).length === 0;
  if (!isText) line.kids.push(...(isInlined ? kids : asBlocks(kids)));
  else if (!textContent(element).trim())
    addText(line, `${kids.join(' ')} `); // for example the marker of a list item
  else line.kids.push(isInlined ? `[${kids.join(' ')}]` : `${BREAK}[${kids.join(' ')}]${BREAK}`);
}

const TALLEST_IN_TEXT = 32; // px: images up to this height are characters of the text, such as emoji
const SMALLEST_IN_TEXT = 4; // px: smaller images are aids for placing the caret

// 0: the image was not loaded, and its size means nothing
const naturalWidth = reader(HTMLImageElement, 'naturalWidth');

function visitEditedImage(element, line, flags) {
  const alt = flatten(attr(element, 'alt') ?? '');
  remember(VOLATILE, element); // its size counts
  const box = getBoundingClientRect_.call(element);
  if (box.height < SMALLEST_IN_TEXT && !alt) return;
  if (alt && box.height <= TALLEST_IN_TEXT && naturalWidth(element) > 0) {
    addMarkedText(line, collapse(alt), flags);
    return;
  }
  const image = newLine(element, 'IMG', 'img');
  image.id = idOf(element);
  image.name = nameOf(element, 'img');
  line.kids.push(image);
}

function visitEditedLink(element, tag, line, flags, depth, isNotable) {
  const { selected } = reading;
  if (selected && contains_.call(element, selected.start)) addText(line, selected.isCaret ? '' : SELECTION_START);
  visitLine(element, tag, 'link', line, (flags & ~EDITING_FLAGS) | IN_CLICKABLE, depth, CLICKABLE, isNotable);
  if (selected && contains_.call(element, selected.end)) addText(line, selected.isCaret ? CARET : SELECTION_END);
}

/** Adds a block: as a paragraph if it contains a line of text, else only its content. */
function visitEditedParagraph(element, tag, parent, flags, depth) {
  const line = newLine(element, tag, 'paragraph');
  const placeholder = visitEditedContents(element, tag, line, flags, depth);
  if (line.kids.some((kid) => typeof kid === 'string' && kid.includes(BREAK))) {
    const inner = placeholder && line.kids.find(isParagraph);
    if (inner) inner.states += placeholderState(element, inner, placeholder);
    parent.kids.push(BREAK, ...line.kids, BREAK);
  } else if (line.kids.length) {
    setInline(line, line.kids);
    if (placeholder) line.states += placeholderState(element, line, placeholder);
    const isAlone = line.kids.length === 1 && typeof line.kids[0] !== 'string' && line.states === '';
    parent.kids.push(BREAK, isAlone ? line.kids[0] : line, BREAK);
  }
}

function visitEditedBlock(element, tag, role, parent, flags, depth) {
  const line = newLine(element, tag, role);
  line.states = statesOf(element, tag, role, { ariaDisabled: false, focused: null });
  if (INTERACTIVE.has(role) && role !== 'gridcell') line.id = idOf(element);
  const placeholder = visitEditedContents(element, tag, line, flags, depth);
  if (placeholder) line.states += placeholderState(element, line, placeholder);
  const raw = line.kids;
  if (role === 'table') line.kids = blocksOf(raw, line);
  else if (role === 'row') setCells(line, linesOf(raw));
  else if (role === 'list') {
    line.states += isNumbered(element) ? ' [ordered]' : '';
    line.kids = blocksOf(raw, line);
  } else if (role === 'listitem') setItem(line, raw);
  else takeBlocks(line, raw);
  nameBlock(line);
  parent.kids.push(BREAK, line, BREAK);
}

/** Puts the first paragraph of a list item into its line, and nested lists and further paragraphs below. */
function setItem(line, raw) {
  const blocks = blocksOf(raw, line);
  if (blocks.length && isParagraph(blocks[0])) takeParagraph(line, blocks[0], blocks.slice(1));
  else line.kids = blocks;
}

/** Joins the cells of a row to one line of text; the caret of a cell becomes the row's. */
function setCells(row, cells) {
  row.states += cells.map((cell) => cell.states.match(CARET_STATES)?.join('') ?? '').join('');
  const bare = cells.map((cell) => ({
    ...cell,
    states: cell.states.replace(CARET_STATES, ''),
    kids: cell.kids.map((kid) => (typeof kid === 'string' ? kid.replaceAll('\n', ' ⏎ ') : kid)),
  }));
  row.kids = foldCells(bare);
}

const CARET_STATES = / \[(?:caret|selection)[^\]"]*(?:"(?:[^"\\]|\\.)*")?\]/g;
const BULLETS = new Set(['none', 'disc', 'circle', 'square']);

function isNumbered(list) {
  const item = firstElementChild_.call(list);
  return item !== null && tagOf(list) === 'OL' && !BULLETS.has(computedStyleOf(item).listStyleType);
}

/** @param {Element | null} element  null: judge by the tag alone */
const isCodeBlock = (element, tag) =>
  tag === 'PRE' || (element !== null && (tag === 'CODE' || matches(element, '.ql-code-block-container')));

/** Adds a block of code with its lines, however the editor separates them. */
function visitCodeBlock(element, tag, parent, flags, depth) {
  const line = newLine(element, tag, 'code');
  const inner = newLine(element, tag, '');
  visitEditedContents(element, tag, inner, (flags & ~(ALL_MARKS << SHOWN_SHIFT)) | (ALL_MARKS << BASE_SHIFT), depth);
  const texts = [];
  const others = [];
  for (const block of blocksOf(inner.kids, line)) {
    if (!isParagraph(block)) others.push(block);
    else {
      texts.push(textsOf(block.kids).join(''));
      others.push(...linesOf(block.kids));
      line.states += block.states;
    }
  }
  line.kids = [...(texts.length ? [texts.join('\n')] : []), ...others];
  parent.kids.push(BREAK, line, BREAK);
}

/** Adds the content of an element in an editor. @returns {string} generated text, if the element has no other text */
function visitEditedContents(element, tag, line, flags, depth) {
  const before = generatedText(element, 'before', reading.selections.before);
  const after = generatedText(element, 'after', reading.selections.after);
  const from = line.kids.length;
  line.sealed = from;
  const shadow = mayHost(tag) ? shadowOf(element) : null;
  if (shadow) inRoot(shadow, () => visitEditedNodes(shadow, line, flags, depth));
  else if (tag === 'SLOT' && assignedNodes_.call(element).length) visitSlot(element, line, flags, depth);
  else visitEditedNodes(element, line, flags, depth);
  const hasTextBeside = line.kids.slice(from).some(hasAnyText);
  const inside = resolveGenerated(line, from, hasTextBeside);
  if (!hasTextBeside) return before + inside + after;
  if (before) line.kids.splice(from, 0, collapse(before) + ' ');
  if (after) addText(line, collapse(after));
  return '';
}

/** Adds generated text of an inline element. Whether it is text or a placeholder depends on the text around it. */
function addGenerated(line, text) {
  if (text) addText(line, GENERATED_MARK + text.replaceAll(GENERATED_MARK, '') + GENERATED_MARK);
}

/**
 * Turns generated text into text if there is other text beside it, and else removes it.
 * @returns {string} the removed text
 */
function resolveGenerated(line, from, hasTextBeside) {
  let taken = '';
  for (let index = from; index < line.kids.length; index++) {
    const kid = line.kids[index];
    if (typeof kid === 'string' && kid.includes(GENERATED_MARK)) {
      line.kids[index] = kid.replace(GENERATED_TEXTS, (_, text) => (hasTextBeside ? text : ((taken += text), '')));
    }
  }
  return taken;
}

const hasAnyText = (kid) =>
  typeof kid === 'string'
    ? hasText(kid.replace(GENERATED_TEXTS, '').replace(CONTROLS, ''))
    : kid.role !== 'paragraph' || kid.kids.some(hasAnyText);

/** Adds the child nodes of an element: the text with its marks and the caret. */
function visitEditedNodes(parent, line, flags, depth) {
  const { selected } = reading;
  const at = selected && (selected.start === parent || selected.end === parent) ? selected : null;
  let keeps = null;
  let index = 0;
  for (let node = firstChild(parent); node; node = nextSibling_.call(node)) {
    const type = nodeType_.call(node);
    if (at) addText(line, selectionMarkAt(at, parent, index++));
    if (type === 3) {
      keeps ??= nodeType(parent) === 1 && /preserve|break-spaces/.test(computedStyleOf(parent).whiteSpaceCollapse);
      addMarkedText(line, textWithSelection(node, selected, keeps), flags);
    } else if (type === 1) visitElement(node, line, flags, depth + 1);
  }
  if (at) addText(line, selectionMarkAt(at, parent, index));
}

/** Text of an editor, with markers for preserved spaces and line breaks. */
function markSpaces(data, keeps) {
  const text = data.replace(/\r\n?/g, '\n').replace(INVISIBLE_CHARACTERS, '');
  if (keeps) return text.replace(/[^\S\n]/g, PRESERVED_SPACE).replaceAll('\n', LINE_BREAK);
  return text.replace(/[ \t\n\f\v]+/g, ' ').replace(/[^\S ]/g, PRESERVED_SPACE);
}

function addMarkedText(line, text, flags) {
  const shown = (flags >> SHOWN_SHIFT) & ALL_MARKS;
  if (text) addText(line, shown ? `${MARKS_PREFIX}${String.fromCharCode(64 + shown)}${text}${MARKS_PREFIX}@` : text);
}

/** @param {string | Line} kid @param {string} mark */
const hasMark = (kid, mark) => typeof kid === 'string' && kid.includes(mark);

/** The gathered content as lines of blocks; text between blocks becomes a paragraph of its own. */
function blocksOf(kids, owner) {
  const blocks = [];
  let caretAt = -1;
  for (const segment of segmentsOf(kids)) {
    const words = segment.filter(
      (kid) => typeof kid !== 'string' || hasText(kid.replace(/\x12./g, '').replace(CONTROLS, '')),
    );
    if (words.length === 1 && typeof words[0] !== 'string') blocks.push(words[0]);
    else if (words.length || segment.some((kid) => hasMark(kid, LINE_BREAK))) {
      const line = newLine(owner.element, owner.tag, 'paragraph');
      setInline(line, segment);
      if (line.kids.length || line.states || words.length === 0) blocks.push(line);
    } else if (segment.some((kid) => hasMark(kid, CARET))) caretAt = blocks.length;
  }
  if (caretAt >= 0) owner.states += caretAt === 0 && blocks.length ? ' [caret=start]' : ' [caret]';
  // An empty editor contains an empty line for the caret.
  return blocks.length === 1 && isParagraph(blocks[0]) && !blocks[0].kids.length && !blocks[0].states ? [] : blocks;
}

/** Splits the content where blocks begin and end. @returns {(string | Line)[][]} */
function segmentsOf(kids) {
  const segments = [[]];
  for (const kid of kids) {
    if (typeof kid !== 'string') segments.at(-1).push(kid);
    else {
      const [first, ...others] = kid.split(BREAK);
      if (first) segments.at(-1).push(first);
      for (const other of others) segments.push(other ? [other] : []);
    }
  }
  return segments.filter((segment) => segment.length);
}

/** Sets the content of a paragraph: its text with marks, interactive elements, and the caret as a state. */
function setInline(line, kids) {
  line.states += caretState(kids);
  line.kids = [];
  let run = '';
  const flush = (isLast) => {
    const text = markedText(run, isLast && !linesOf(line.kids).length);
    if (text) line.kids.push(text);
    run = '';
  };
  for (const kid of kids) {
    if (typeof kid === 'string') run += kid;
    else {
      flush(false);
      line.kids.push(kid);
    }
  }
  flush(true);
}

/** @type {[number, string][]} */
const MARKDOWN_SIGNS = [
  [IS_BOLD, '**'],
  [IS_ITALIC, '*'],
  [IS_STRUCK, '~~'],
  [IS_CODE, '`'],
];
// Text that would be read as marked although it is not.
const LOOKS_LIKE_MARKDOWN = /(\*{1,3})(?=\S)[^*]*\S\1|~~(?=\S).*\S~~|`[^`]+`/;

/**
 * A run of text in Markdown, with "\n" for line breaks.
 * @param {boolean} drops  leave out the last line break, which only makes room for the caret
 */
function markedText(raw, drops) {
  const writer = { text: '', open: [], space: '' };
  const [first, ...others] = raw.split(MARKS_PREFIX);
  writeRun(writer, first, 0);
  for (const run of others) writeRun(writer, run.slice(1), run.charCodeAt(0) - 64);
  closeMarks(writer, 0);
  const lines = (writer.text + writer.space)
    .split(LINE_BREAK)
    .map((line) => line.replace(/ {2,}/g, ' ').trim().replaceAll(PRESERVED_SPACE, ' '));
  if (!drops) return lines.filter((line) => line.trim()).join('\n');
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  return lines.join('\n').trim() ? lines.join('\n') : '';
}

/** Appends text with its marks, which are put inside of the spaces around it. */
function writeRun(writer, raw, marks) {
  const text = raw.replace(/[\x0e\x0f\x10]/g, '');
  const [, before, inner, after] = /^([ \x08\x11]*)([^]*?)([ \x08\x11]*)$/.exec(text);
  if (text) closeMarks(writer, marks);
  writer.space += before;
  if (!inner) return;
  writer.text += writer.space;
  for (const sign of MARKDOWN_SIGNS) {
    if (!(marks & sign[0]) || writer.open.includes(sign)) continue;
    writer.text += sign[1];
    writer.open.push(sign);
  }
  writer.text += marks & IS_CODE || !LOOKS_LIKE_MARKDOWN.test(inner) ? inner : inner.replace(/[*`]|~~/g, '\\$&');
  writer.space = after;
}

function closeMarks(writer, marks) {
  while (writer.open.some((sign) => !(marks & sign[0]))) writer.text += writer.open.pop()[1];
}
