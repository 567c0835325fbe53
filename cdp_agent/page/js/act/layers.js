// What is open over a page, where that keeps the mouse from an element: a dialog, a menu, or a box without any role
// that is above all else and has something to act on.

const MOST_LAYERS_LOOKED_AT = 5000; // elements
const LAYERS_SELECTOR =
  `${DIALOGS_SELECTOR},[popover],[role="menu" i],[role="listbox" i],[role="tooltip" i],` +
  '[role="grid" i],[role="tree" i]';

/**
 * The layer that is open over the page of an element, which is not in it; null for none. Of several, the one above the
 * others, else the last.
 * @param {Element} element @returns {Element | null}
 */
function openLayerOver(element) {
  const elements = selectAll(documentOf(element), '*');
  let open = null;
  for (let i = 0; i < elements.length && i < MOST_LAYERS_LOOKED_AT; i++) {
    const root = rootOfHost(elements[i]);
    for (const layer of root ? [elements[i], ...selectAll(root, '*')] : [elements[i]])
      if (isOpenLayer(layer, element) && !(open && isInside(layer, open))) open = layer;
  }
  return open;
}

function isOpenLayer(layer, element) {
  const isNamed = matches(layer, LAYERS_SELECTOR);
  if (!isNamed && !OUT_OF_FLOW.has(computedStyleOf(layer).position)) return false;
  if (!checkVisibility_.call(layer, VISIBILITY_OPTIONS) || isInside(element, layer)) return false;
  if (!isNamed && !hasVisibleControl(layer)) return false;
  return isOnTop(layer);
}

/** @param {Element} element */
const hasVisibleControl = (element) =>
  matches(element, 'iframe') ||
  selectAllDeep(element, `${CONTROLS_SELECTOR},iframe`).some((control) =>
    checkVisibility_.call(control, VISIBILITY_OPTIONS),
  );

/**
 * Whether a cover stays until somebody acts on what is open: that has controls, or the cover itself is clicked, as a
 * backdrop, or cannot be seen, unlike a veil while something loads. Nothing in it is busy or fades.
 * @param {Element | null} cover  what was hit @param {Element} element  what it keeps from the mouse
 */
function waitsForSomebody(cover, element) {
  const layer = openLayerOver(element);
  const isBusy = (box) => selectsAny(box, BUSY_SELECTOR) || matches(box, BUSY_SELECTOR) || isFading(box);
  const isClicked = cover !== null && (listening.has(cover) || matches(cover, INTERACTIVE_SELECTOR));
  const isForSomebody =
    isClicked || (cover !== null && paintsNothing(cover)) || (layer !== null && hasVisibleControl(layer));
  return isForSomebody && ![layer, cover].some((box) => box !== null && isBusy(box));
}

/** Whether a cover is a mere box that nobody sees, while the page is at rest. @param {Element} cover */
function paintsNothing(cover) {
  const { backgroundColor, backgroundImage, backdropFilter } = computedStyleOf(cover);
  const isBare = backgroundColor === 'rgba(0, 0, 0, 0)' && backgroundImage === 'none' && backdropFilter === 'none';
  const isEmpty =
    firstElementChild_.call(cover) === null && !hasText(textContent(cover)) && !PICTURES.has(tagOf(cover));
  return isEmpty && (isBare || isTransparent(cover)) && performance.now() - journal.last > OPEN_TIMEOUT_MS;
}

const BUSY_SELECTOR = `${IS_BUSY},[role="progressbar" i],progress`;

const isFading = (box) =>
  documentAnimations_.call(documentOf(box)).some(({ playState, effect }) => {
    const target = /** @type {KeyframeEffect | null} */ (effect)?.target;
    return (
      playState === 'running' && target && effect.getComputedTiming().endTime !== Infinity && isInside(box, target)
    );
  });
