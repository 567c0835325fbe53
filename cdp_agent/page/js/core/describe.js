// One element by itself, or several of a page that stays as it is meanwhile.

/**
 * Role, name, description and states of one element, as a snapshot would show them.
 * @param {Element} element @returns {{role: string, name: string, description: string, states: string}}
 */
const describe = (element) => (asksFew ? described(element) : describing(() => described(element)));

/** What `ask` returns. What all that it describes have in common, such as the style rules, is found out once. @template T @param {() => T} ask @returns {T} */
function describing(ask) {
  forget();
  asksFew = true;
  try {
    return ask();
  } finally {
    forget();
  }
}

function described(element) {
  reading = newReading();
  const tag = tagOf(element);
  const role = shownRole(element, tag);
  const name = shownName(element, role);
  const facts = { ariaDisabled: closestFlat(element, '[aria-disabled]') !== null && matches(closestFlat(element, '[aria-disabled]'), '[aria-disabled="true" i]'), focused: null };
  const description = descriptionOf(element, name);
  const states = statesOf(element, tag, role, facts).trim();
  return { role, name, description, states };
}

/** Whether the element is in a document that is shown. @param {number} id */
function isAlive(id) {
  const element = elementOf(id);
  return element !== null && defaultView_.call(documentOf(element)) !== null;
}
