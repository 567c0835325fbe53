// Describing single elements, outside of a snapshot.

/**
 * Role, name, description and states of one element, as a snapshot would show them.
 * @param {Element} element @returns {{role: string, name: string, description: string, states: string}}
 */
const describe = (element) =>
  readsFewElements ? roleNameAndStates(element) : withSharedCaches(() => roleNameAndStates(element));

/**
 * Calls `ask` with shared caches: whatever its descriptions have in common, such as the style rules, is computed once.
 * The page must not change meanwhile. @template T
 * @param {() => T} ask
 * @returns {T}
 */
function withSharedCaches(ask) {
  forget();
  readsFewElements = true;
  try {
    return ask();
  } finally {
    forget();
  }
}

function roleNameAndStates(element) {
  reading = newReading();
  const tag = tagOf(element);
  const role = shownRole(element, tag);
  const name = shownName(element, role);
  const facts = {
    ariaDisabled:
      closestFlat(element, '[aria-disabled]') !== null &&
      matches(closestFlat(element, '[aria-disabled]'), '[aria-disabled="true" i]'),
    focused: null,
  };
  const description = descriptionOf(element, name);
  const states = statesOf(element, tag, role, facts).trim();
  return { role, name, description, states };
}

/** Whether the element is in a document that is displayed in a tab or frame. @param {number} id */
function isAlive(id) {
  const element = elementOf(id);
  return element !== null && defaultView_.call(documentOf(element)) !== null;
}
