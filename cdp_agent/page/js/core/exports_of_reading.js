/**
 * Adds the functions of another part of the bundle to the agent object; that part is evaluated in the scope of this
 * one. (The page's content security policy does not forbid this: DevTools bypasses it for the calls it makes.)
 * @param {string} source
 */
function addFunctions(source) {
  Object.assign(this, eval(source));
}

return {
  snapshot,
  adoptRoots,
  adoptInternals,
  adoptListening,
  adoptCode,
  lookAhead,
  rootsEnteredAfter,
  possibleHosts,
  fewMayHost,
  countClosedRoots,
  idOf,
  elementOf,
  elementsOf,
  changes,
  takePassed,
  seemsScriptless,
  stopWatching,
  addFunctions,
};
