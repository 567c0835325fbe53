// How an element is named in a message: role, name, and its ref where it has one. Refs are given by snapshots only.

/** @typedef {{role: string, name: string}} Told  @typedef {{text: string, dialog: boolean, floats: boolean, closers: string[]}} Cover */

const LONGEST_TOLD = 80;

/** @param {Element} element @returns {Told} */
function told(element) {
  const { role, name } = describe(element);
  return { role: role || tagOf(element).toLowerCase(), name: cut(name, LONGEST_TOLD) };
}

/** `button \x017 "Pay"`; for what has neither role nor name, its tag, class and first words. */
function tell(element) {
  const { role, name } = told(element);
  const id = idsOfElements.get(element);
  const ref = id === undefined ? '' : ` \x01${id}`;
  if (name) return `${role}${ref} ${quote(name)}`;
  const words = cut(firstLineOf(element), 40);
  const kind = attr(element, 'id') ? `#${attr(element, 'id')}` : (attr(element, 'class') ?? '').trim().replace(/^(?=.)|\s+/g, '.');
  return `${role}${role === tagOf(element).toLowerCase() ? collapse(cut(kind, 40)) : ''}${ref}${words ? ` ${quote(words)}` : ''}`;
}

const TITLES = 'h1,h2,h3,h4,h5,h6,[role="heading" i]';

/** What something without a name is best known by: its heading, else its first words, up to where a block ends. What is hidden in it is not, unless it is hidden as a whole. */
function firstLineOf(element) {
  const isSeen = visibilityOf(element) === VISIBLE;
  for (const title of selectAll(element, TITLES)) {
    const text = collapse(textContent(title).slice(0, 400));
    if (text && !(isSeen && visibilityOf(title) !== VISIBLE)) return text;
  }
  return collapse(firstWords(element, isSeen ? VISIBLE : null, 0).text);
}

/** @param {0 | 1 | 2 | null} visibility  the node's, null: all counts @returns {{text: string, ends: boolean}} ends: a block that says something ends with it */
function firstWords(node, visibility, depth) {
  let text = '';
  for (let child = firstChild(node); child && text.length < 400 && depth < DEEPEST_NAME; child = nextSibling(child)) {
    const type = nodeType(child);
    if (type === 3 && (visibility ?? VISIBLE) === VISIBLE) text += dataOf(child).slice(0, 400);
    if (type !== 1 || WITHOUT_TEXT.has(tagOf(child))) continue;
    const visible = visibility && visibilityOf(child);
    if (visible === GONE) continue;
    const isBlock = !isInline(child);
    if (isBlock && text.trim()) return { text, ends: true };
    const inner = firstWords(child, visible, depth + 1);
    text += inner.text;
    if ((isBlock || inner.ends) && text.trim()) return { text, ends: true };
  }
  return { text, ends: false };
}

const COVERS = 'dialog,[role="dialog" i],[role="alertdialog" i],[aria-modal="true" i]';
const NAMED_COVERS = `${COVERS},[role="menu" i],[role="listbox" i],[role="tooltip" i],[role="banner" i],header,nav,footer,aside,iframe,${
  'a[href],button,input,select,textarea'}`;

/** What covers: the dialog that was hit, else a part of the page with a name, else the outermost box that is in the way, of those lifted out of the text first. */
function coverOf(hit, element) {
  const boxes = [];
  for (let node = hit; node && !isInside(element, node); node = paintedParent(node)) boxes.push(node);
  const dialog = closestFlat(hit, COVERS);
  const lifted = boxes.findLast((box) => LIFTED.has(computedStyleOf(box).position));
  const cover = dialog && !isInside(element, dialog) ? dialog : boxes.find((box) => matches(box, NAMED_COVERS)) ?? lifted ?? boxes.at(-1) ?? hit;
  return { text: tell(cover), dialog: cover === dialog, floats: lifted != null && floats(lifted), closers: closersIn(cover) };
}

const LIFTED = new Set(['absolute', 'fixed', 'sticky']);
const FLOATING = new Set(['absolute', 'fixed']);

/** Whether it lies over a part of what is seen, as the calendar of a field does: not over all, as a veil does. */
function floats(cover) {
  if (!FLOATING.has(computedStyleOf(cover).position)) return false;
  const { width, height } = rectOf(cover);
  return width * height < (window.innerWidth * window.innerHeight) / 2;
}

const MOST_CLOSERS = 3;

/** The buttons of what covers, since one of them may close it. */
function closersIn(cover) {
  const buttons = [...selectAll(cover, 'button:not([role]),[role="button" i],input[type="button" i],input[type="submit" i]')];
  return buttons.filter((button) => checkVisibility_.call(button, SEEN_OPTIONS) && idsOfElements.has(button)).slice(0, MOST_CLOSERS).map(tell);
}

/** @returns {Obstacle} */
function obstacle(why, by, element) {
  const modal = SHUT_OFF.has(why) ? modalOver(element, why) : null;
  if (modal) return { why: 'covered', detail: '', by: { text: tell(modal), dialog: true, floats: false, closers: closersIn(modal) }, said: told(element) };
  return { why, detail: detailOf(why, element), by: by ? coverOf(by, element) : null, said: told(element) };
}

const SHUT_OFF = new Set(['clipped', 'covered', 'hidden']);

/** The modal dialog that an element is outside of, in its own document or in one around it. */
function modalOver(element, why) {
  if (why === 'hidden' && !checkVisibility_.call(element, SEEN_OPTIONS)) return null;
  for (const { document, frame } of levelsOf(element).reverse()) {
    const modals = selectAllDeep(documentElement_.call(document), MODAL_ROLES_SELECTOR).filter((each) => isModal(each, tagOf(each)));
    if (modals.length && !modals.some((each) => isInside(element, each))) return modals.at(-1);
    element = frame;
  }
  return null;
}

const MODAL_ROLES_SELECTOR = 'dialog,[aria-modal="true" i]';

function detailOf(why, element) {
  if (why === 'disabled') return isInert(element) ? ' (inert: something else is to be dealt with first)' : '';
  if (why === 'clipped') return passesThrough(element) ? unreached(element) : ': it is clipped away, or what is around it is closed';
  if (why === 'unfocused') return focusedElement() ? `, which is on ${tell(focusedElement())} now` : '';
  if (why !== 'hidden') return '';
  const closed = closestFlat(element, 'details:not([open])');
  if (closed) return `: it is in ${tell(closestChild(closed, 'SUMMARY') ?? closed)}, which is closed`;
  if (tagOf(element) === 'OPTION') return ': select it in its list instead';
  if (isInCanvas(element)) return `: ${tell(closest(element, 'canvas'))} paints it. Focus it and press keys, or click the canvas at its place`;
  return '';
}

/** Libraries shut off the whole page while a menu of theirs is open, and close that at a press outside. */
function unreached(element) {
  const body = body_.call(documentOf(element));
  if (body && passesThrough(body)) return ': the page takes no mouse events while something is open: close that first, as with Escape';
  return ': it takes no mouse events';
}

/** @param {number} id */
function toldBy(id) {
  const element = resolveElement(id);
  return element ? told(element) : { role: '', name: '' };
}

const isMac = () => /^Mac/.test(navigator.platform);
