// Modal dialogs: nothing outside of one can be used until it is closed. The dialog is rendered as [modal], and the
// outermost lines around it as [inert].

const topAtPoint_ = { 9: Document.prototype.elementFromPoint, 11: ShadowRoot.prototype.elementFromPoint };

/** " [modal]" for a modal dialog, which is added to the list of this reading. */
function modalState(element, tag) {
  remember(VOLATILE, element); // whether it is on top changes without a mutation record
  if (!isModal(element, tag)) return '';
  reading.modals.push(element);
  return ' [modal]';
}

function isModal(element, tag) {
  if (tag === 'DIALOG' && matches(element, ':modal')) return true;
  return (
    attr(element, 'aria-modal')?.toLowerCase() === 'true' &&
    isOnTop(element) &&
    (matches(element, ':focus-within') || hasBackdrop(element))
  );
}

// Points to check around a dialog, in fractions of the viewport: its corners and the middles of its sides.
const PLACES_AROUND = [
  [0.01, 0.01],
  [0.5, 0.01],
  [0.99, 0.01],
  [0.01, 0.5],
  [0.99, 0.5],
  [0.01, 0.99],
  [0.5, 0.99],
  [0.99, 0.99],
];
const PICTURES = new Set(['CANVAS', 'IMG', 'VIDEO', 'IFRAME', 'EMBED', 'OBJECT']);

/** Whether the flat tree has the element at or below `around`. */
function isPaintedIn(element, around) {
  let node = element;
  while (node && node !== around) node = flatParent(node);
  return node === around;
}

/** Whether most of the page around an element is covered by a backdrop: non-modal panels often have aria-modal too. */
function hasBackdrop(element) {
  const inDocument = documentOf(element);
  const { innerWidth, innerHeight } = defaultView_.call(inDocument);
  const around = PLACES_AROUND.map(([across, down]) =>
    topAtPoint_[9].call(inDocument, innerWidth * across, innerHeight * down),
  ).filter((hit) => hit !== null && !isPaintedIn(hit, element));
  const blocked = around.filter((hit) => {
    const { width, height } = getBoundingClientRect_.call(hit);
    if (width < innerWidth - 1 || height < innerHeight - 1 || PICTURES.has(tagOf(hit))) return false;
    return (
      hit !== body_.call(inDocument) &&
      hit !== documentElement_.call(inDocument) &&
      (isPaintedIn(element, hit) || !hasText(textContent(hit)))
    );
  });
  return 2 * blocked.length >= around.length;
}

const PLACES_ON_TOP = [
  [0.5, 0.5],
  [0.25, 0.25],
  [0.75, 0.75],
  [0.5, 0.05],
  [0.5, 0.95],
];

/** Whether an element is on top where it is: closed drawers off screen often have aria-modal too. */
function isOnTop(element) {
  const { left, top, right, bottom } = getBoundingClientRect_.call(element);
  const view = defaultView_.call(documentOf(element));
  const [x, y] = [Math.max(left, 0), Math.max(top, 0)];
  const [width, height] = [Math.min(right, view.innerWidth) - x, Math.min(bottom, view.innerHeight) - y];
  if (!(width > 0 && height > 0)) return hasChildOnTop(element);
  const root = rootOf(element);
  return PLACES_ON_TOP.some(([across, down]) =>
    isPaintedIn(topAtPoint_[nodeType(root)].call(root, x + width * across, y + height * down), element),
  );
}

/** Whether a child is on top: the dialog itself may be a box without size around a fixed panel. */
function hasChildOnTop(element) {
  for (let child = firstElementChild_.call(element); child; child = nextElementSibling_.call(child)) {
    const box = getBoundingClientRect_.call(child);
    if (box.width > 0 && box.height > 0 && isOnTop(child)) return true;
  }
  return false;
}

/** The dialog that makes the rest of a document inert, if any: the one with the focus, else the one found last. */
function topModal(inDocument) {
  const modals = reading.modals.filter((element) => documentOf(element) === inDocument);
  const shown = modals.filter((element) => tagOf(element) === 'DIALOG' && matches(element, ':modal'));
  const candidates = shown.length ? shown : modals;
  const focused = candidates.filter((element) => matches(element, ':focus-within'));
  return (focused.length ? focused : candidates).at(-1) ?? null;
}

/** Marks the lines of a document outside of its modal dialog as inert. @param {(string | Line)[]} kids */
function markInert(kids, inDocument) {
  const modal = topModal(inDocument);
  if (!modal) return;
  const around = new Set();
  for (let node = modal; node; node = flatParent(node)) around.add(node);
  markOutside(kids, modal, around);
}

function markOutside(kids, modal, around) {
  for (const kid of kids) {
    if (typeof kid === 'string' || kid.element === modal) continue;
    if (around.has(kid.element)) markOutside(kid.kids, modal, around);
    else if (kid.id !== 0 || holdsControls(kid)) {
      kid.inert = true;
      reading.inert.push(kid);
    }
  }
}
