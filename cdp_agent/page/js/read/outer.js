// The page's source as it is now.

const outerHTML_ = getterOf(Element.prototype, 'outerHTML');

/**
 * The markup of the first element that matches, in any document or shadow root of this world.
 * @param {string} selector @returns {{html: string | null, wrong: string}} wrong: why the selector is none
 */
function outerHtml(selector) {
  try {
    return { html: firstMarkup(selector), wrong: '' };
  } catch (error) {
    return { html: null, wrong: error.message };
  }
}

function firstMarkup(selector) {
  /** @type {(Document | ShadowRoot)[]} */
  const roots = [document];
  for (let i = 0; i < roots.length; i++) {
    const found = selectAll(roots[i], selector)[0];
    if (found) return outerHTML_.call(found);
    for (const element of selectAll(roots[i], '*')) {
      const inner = rootOfHost(element) ?? contentDocumentOf(element);
      if (inner) roots.push(inner);
    }
  }
  return null;
}
