// What can be clicked although its role does not say so.

const HANDLERS = ['onclick', 'onmousedown', 'onmouseup', 'onpointerdown', 'ondblclick', 'ontouchstart', 'onkeydown'];
// Attributes that single an element out. Whatever has none of them needs none of the questions about them.
const MARKED = [
  'role', 'tabindex', 'inert', 'draggable', 'contenteditable', 'aria-hidden', 'aria-disabled', 'aria-owns', 'aria-label', 'aria-labelledby',
  'aria-labeledby', 'title', 'aria-expanded', 'aria-haspopup', 'aria-current', 'aria-selected', 'aria-pressed', 'aria-checked', 'aria-invalid',
  'aria-required', 'aria-readonly', 'aria-level', 'aria-describedby', 'aria-description', ...HANDLERS,
];
const MARKED_SELECTOR = MARKED.map((name) => `[${name}]`).join(',') + ',[style*="cursor" i]';

/** Handlers or properties that ask for the mouse. @param {Element} element  one that is marked */
function asksForClicks(element) {
  const tabindex = attr(element, 'tabindex');
  if (tabindex !== null && !Number.isNaN(parseInt(tabindex, 10))) return true;
  if (attr(element, 'draggable')?.toLowerCase() === 'true') return true;
  for (const handler of HANDLERS) if (hasAttr(element, handler)) return true;
  return hasAttr(element, 'aria-haspopup') || hasAttr(element, 'aria-expanded');
}

/** @type {WeakSet<Element>} elements with listeners of their own, as Python was told by Chrome */
const listening = new WeakSet();

/** @param {...(Element | null)} elements  that have listeners for mouse or keys */
function adoptClickable(...elements) {
  for (const element of elements) if (element) listening.add(element);
}

const POINTING = new Set(['pointer', 'grab', 'grabbing', 'move', 'crosshair', 'copy', 'cell', 'zoom-in', 'zoom-out', 'col-resize', 'row-resize',
  'ew-resize', 'ns-resize', 'nesw-resize', 'nwse-resize', 'n-resize', 'e-resize', 's-resize', 'w-resize', 'se-resize', 'sw-resize', 'ne-resize', 'nw-resize', 'all-scroll']);

/** The cursor where a rule or the element itself may set one; undefined: it has its parent's. @param {Selected} concern */
function ownCursor(element, isMarked, concern) {
  if (!mayApply(concern, element) && !(isMarked && attr(element, 'style')?.toLowerCase().includes('cursor'))) return undefined;
  return computedStyleOf(element).cursor;
}

// A pointer over the whole of these is meant for their items.
const PASSES_CLICKS_ON = new Set(['UL', 'OL', 'DL', 'TABLE', 'TBODY', 'THEAD', 'TFOOT', 'BODY', 'HTML', 'MENU', 'svg']);
