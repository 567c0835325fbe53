// One element by itself.

/**
 * Role, name, description and states of one element, as a snapshot would show them.
 * @param {Element} element @returns {{role: string, name: string, description: string, states: string}}
 */
function describe(element) {
  forget();
  reading = newReading();
  const tag = tagOf(element);
  const role = shownRole(element, tag);
  const name = shownName(element, role);
  const facts = { ariaDisabled: closestFlat(element, '[aria-disabled]') !== null && matches(closestFlat(element, '[aria-disabled]'), '[aria-disabled="true" i]'), focused: null };
  const description = descriptionOf(element, name);
  const states = statesOf(element, tag, role, facts).trim();
  forget();
  return { role, name, description, states };
}

/** Whether the element is in a document that is shown. @param {number} id */
function isAlive(id) {
  const element = elementOf(id);
  return element !== null && defaultView_.call(documentOf(element)) !== null;
}
