// The preview of an element in a message: its role, its name, and its ref where a snapshot has given it one.

/**
 * @typedef {{role: string, name: string}} RoleAndName
 * @typedef {{text: string, says: boolean, over: string, dialog: boolean, floats: boolean, closers: string[]}} Cover
 *   says: it has a name or a text; over: else, what is open over it
 */

const LONGEST_PREVIEW_NAME = 80;

/** The role of an element, else its tag, and its name. @param {Element} element @returns {RoleAndName} */
function roleAndNameOf(element) {
  const { role, name } = describe(element);
  return { role: role || tagOf(element).toLowerCase(), name: cut(name, LONGEST_PREVIEW_NAME) };
}

/**
 * `button \x017 "Pay"`; without a name, the first words stand in its place, and without a role, tag and id or class.
 */
function elementPreview(element) {
  const { role, name } = roleAndNameOf(element);
  const id = idsOfElements.get(element);
  const ref = id === undefined ? '' : ` \x01${id}`;
  if (name) return `${role}${ref} ${quote(name)}`;
  const words = cut(headingOrFirstText(element), 40);
  const kind = attr(element, 'id')
    ? `#${attr(element, 'id')}`
    : (attr(element, 'class') ?? '').trim().replace(/^(?=.)|\s+/g, '.');
  const shownKind = role === tagOf(element).toLowerCase() ? collapse(cut(kind, 40)) : '';
  return `${role}${shownKind}${ref}${words ? ` ${quote(words)}` : ''}`;
}

const HEADINGS_SELECTOR = 'h1,h2,h3,h4,h5,h6,[role="heading" i]';

/**
 * The text that describes an element without a name: its first heading, else the text of its first block. Hidden text
 * is left out, unless the element itself is hidden.
 */
function headingOrFirstText(element) {
  const isVisible = visibilityOf(element) === VISIBLE;
  for (const title of selectAll(element, HEADINGS_SELECTOR)) {
    const text = collapse(textContent(title).slice(0, 400));
    if (text && !(isVisible && visibilityOf(title) !== VISIBLE)) return text;
  }
  return collapse(firstBlockText(element, isVisible ? VISIBLE : null, 0).text);
}

/**
 * The text up to the end of the first block with text.
 * @param {0 | 1 | 2 | null} visibility  of the node; null: hidden text counts, too
 * @returns {{text: string, ends: boolean}} ends: the text ended with a block
 */
function firstBlockText(node, visibility, depth) {
  let text = '';
  for (let child = firstChild(node); child && text.length < 400 && depth < DEEPEST_NAME; child = nextSibling(child)) {
    const type = nodeType(child);
    if (type === 3 && (visibility ?? VISIBLE) === VISIBLE) text += dataOf(child).slice(0, 400);
    if (type !== 1 || TAGS_WITHOUT_TEXT.has(tagOf(child))) continue;
    const visible = visibility && visibilityOf(child);
    if (visible === NOT_RENDERED) continue;
    const isBlock = !isInline(child);
    if (isBlock && text.trim()) return { text, ends: true };
    const inner = firstBlockText(child, visible, depth + 1);
    text += inner.text;
    if ((isBlock || inner.ends) && text.trim()) return { text, ends: true };
  }
  return { text, ends: false };
}

const RECOGNIZED_COVERS =
  `${DIALOGS_SELECTOR},[role="menu" i],[role="listbox" i],[role="tooltip" i],[role="banner" i],header,nav,footer,` +
  'aside,iframe,a[href],button,input,select,textarea';

/**
 * What covers an element: the dialog around the hit element, else the innermost ancestor that a user would recognize,
 * else the outermost positioned one, else the outermost one.
 */
function coverOf(hit, element) {
  const boxes = [];
  for (let node = hit; node && !isInside(element, node); node = paintedParent(node)) boxes.push(node);
  const dialog = closestFlat(hit, DIALOGS_SELECTOR);
  const positioned = boxes.findLast((box) => POSITIONED.has(computedStyleOf(box).position));
  const cover =
    dialog && !isInside(element, dialog)
      ? dialog
      : (boxes.find((box) => matches(box, RECOGNIZED_COVERS)) ?? positioned ?? boxes.at(-1) ?? hit);
  return {
    text: elementPreview(cover),
    says: roleAndNameOf(cover).name !== '' || headingOrFirstText(cover) !== '',
    over: '',
    dialog: cover === dialog,
    floats: positioned != null && isFloatingPopup(positioned),
    closers: closeButtonsIn(cover),
  };
}

const POSITIONED = new Set(['absolute', 'fixed', 'sticky']);

/**
 * Whether it is positioned and smaller than half of the viewport, like the calendar of a date field; an overlay over
 * the whole page is not.
 */
function isFloatingPopup(cover) {
  if (!OUT_OF_FLOW.has(computedStyleOf(cover).position)) return false;
  const { width, height } = rectOf(cover);
  return width * height < (window.innerWidth * window.innerHeight) / 2;
}

const MOST_CLOSE_BUTTONS = 3;

/** Buttons inside a cover: one of them may close it. */
function closeButtonsIn(cover) {
  const buttons = [
    ...selectAll(cover, 'button:not([role]),[role="button" i],input[type="button" i],input[type="submit" i]'),
  ];
  return buttons
    .filter((button) => checkVisibility_.call(button, VISIBILITY_OPTIONS) && idsOfElements.has(button))
    .slice(0, MOST_CLOSE_BUTTONS)
    .map(elementPreview);
}

/** Why an element cannot be acted on, for the message to the model. @returns {Obstacle} */
function obstacle(why, by, element) {
  const modal = CAUSED_BY_MODALS.has(why) ? modalOver(element, why) : null;
  if (modal)
    return {
      why: 'covered',
      detail: '',
      by: {
        text: elementPreview(modal),
        says: true,
        over: '',
        dialog: true,
        floats: false,
        closers: closeButtonsIn(modal),
      },
      said: roleAndNameOf(element),
    };
  return {
    why,
    detail: obstacleDetail(why, element),
    by: by ? coverOrOpenLayer(coverOf(by, element), element) : null,
    said: roleAndNameOf(element),
  };
}

/** What covers an element; if that says nothing by itself, with what is open over it. @param {Cover} cover */
function coverOrOpenLayer(cover, element) {
  if (cover.dialog || cover.says || cover.closers.length) return cover;
  const layer = openLayerOver(element);
  return layer ? { ...cover, over: elementPreview(layer), closers: closeButtonsIn(layer) } : cover;
}

const CAUSED_BY_MODALS = new Set(['clipped', 'covered', 'hidden']);

/** The modal dialog that makes an element inaccessible, in its own document or in one around it; null for none. */
function modalOver(element, why) {
  if (why === 'hidden' && !checkVisibility_.call(element, VISIBILITY_OPTIONS)) return null;
  for (const { document, frame } of levelsOf(element).reverse()) {
    const modals = selectAllDeep(documentElement_.call(document), MODAL_ROLES_SELECTOR).filter((each) =>
      isModal(each, tagOf(each)),
    );
    if (modals.length && !modals.some((each) => isInside(element, each))) return modals.at(-1);
    element = frame;
  }
  return null;
}

const MODAL_ROLES_SELECTOR = 'dialog,[aria-modal="true" i]';

function obstacleDetail(why, element) {
  if (why === 'disabled') return isInert(element) ? inertDetail(element) : '';
  if (why === 'clipped')
    return ignoresPointer(element)
      ? pointerEventsDetail(element)
      : ': it is clipped away, or what is around it is closed';
  if (why === 'unfocused') return focusedElement() ? `, which is on ${elementPreview(focusedElement())} now` : '';
  if (why !== 'hidden') return '';
  const closed = closestFlat(element, 'details:not([open])');
  if (closed) return `: it is in ${elementPreview(closestChild(closed, 'SUMMARY') ?? closed)}, which is closed`;
  if (tagOf(element) === 'OPTION') return ': select it in its list instead';
  if (isCanvasFallback(element))
    return (
      `: ${elementPreview(closest(element, 'canvas'))} paints it. Press keys in it, or click the canvas with at: ` +
      'its place there, as a screenshot shows it'
    );
  return '';
}

function inertDetail(element) {
  const layer = openLayerOver(element);
  return layer
    ? ` (inert while ${elementPreview(layer)} is open: deal with that first)`
    : ' (inert: something else is to be dealt with first)';
}

/**
 * Some libraries set `pointer-events: none` on the whole page while a menu is open, and close the menu at a press
 * outside of it.
 */
function pointerEventsDetail(element) {
  const body = body_.call(documentOf(element));
  const layer = openLayerOver(element);
  const closers = layer ? closeButtonsIn(layer) : [];
  const ways = closers.length ? ` (it has ${closers.join(', ')})` : '';
  const open = layer ? `${elementPreview(layer)} is open` : '';
  if (body && ignoresPointer(body)) {
    return open
      ? `: the page takes no mouse events while ${open}: close that first, as with Escape${ways}`
      : ': the page takes no mouse events, and nothing is seen that is open over it: wait for it, or press Escape';
  }
  return `: it takes no mouse events${open && `, and ${open}: deal with that first${ways}`}`;
}

/** @param {number} id  of the element @returns {RoleAndName} both "" if it no longer exists */
function roleAndNameById(id) {
  const element = resolveElement(id);
  return element ? roleAndNameOf(element) : { role: '', name: '' };
}

const isMac = () => /^Mac/.test(navigator.platform);
