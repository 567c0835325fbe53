// Modal dialogs: nothing outside of one can be used until it is closed. The dialog is rendered as [modal], and the
// outermost lines around it as [inert], see overlay.js.

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

const PICTURES = new Set(['CANVAS', 'IMG', 'VIDEO', 'IFRAME', 'EMBED', 'OBJECT']);

/** Whether the page around an element is covered by a backdrop: non-modal panels often have aria-modal too. */
const hasBackdrop = (element) =>
  overlayIn(documentOf(element))?.front.some((front) => isPaintedIn(element, front)) ?? false;

/** The dialog that makes the rest of a document inert, if any: the one with the focus, else the one found last. */
function topModal(inDocument) {
  const modals = reading.modals.filter((element) => documentOf(element) === inDocument);
  const shown = modals.filter((element) => tagOf(element) === 'DIALOG' && matches(element, ':modal'));
  const candidates = shown.length ? shown : modals;
  const focused = candidates.filter((element) => matches(element, ':focus-within'));
  return (focused.length ? focused : candidates).at(-1) ?? null;
}
