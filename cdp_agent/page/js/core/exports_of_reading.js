/**
 * Gives the agent object the functions of another part of the bundle, which sees the names of this one. (A page's content
 * security policy does not hold here: DevTools lifts it for what it calls.)
 * @param {string} source
 */
function addFunctions(source) {
  Object.assign(this, eval(source));
}

return { snapshot, adoptRoots, adoptInternals, adoptListening, adoptCode, rootsFrom, possibleHosts, closedRootsThere, idOf, elementOf, elementsOf,
  documentTitle, changes, seemsScriptless, stopWatching, addFunctions };
