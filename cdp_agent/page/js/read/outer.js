// The outerHTML of an element.

const outerHTML_ = getterOf(Element.prototype, 'outerHTML');

/**
 * The outerHTML of the first element that matches a selector in any document or shadow root of this world.
 * @param {string} selector @returns {{html: string | null, wrong: string}} wrong: the error if the selector is invalid
 */
function outerHtml(selector) {
  try {
    return { html: firstOuterHtml(selector), wrong: '' };
  } catch (error) {
    return { html: null, wrong: error.message };
  }
}

function firstOuterHtml(selector) {
  /** @type {(Document | ShadowRoot)[]} */
  const roots = [document];
  for (let i = 0; i < roots.length; i++) {
    const found = selectAll(roots[i], selector)[0];
    if (found) return outerHTML_.call(found);
    for (const element of selectAll(roots[i], '*')) {
      const inner = rootOfHost(element) ?? documentIn(element);
      if (inner) roots.push(inner);
    }
  }
  return null;
}
