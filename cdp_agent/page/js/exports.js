return { snapshot, adoptRoots, adoptInternals, adoptListening, describe, idOf, elementOf, elementsOf, isAlive, changes, stopWatching,
  aim, aimThrough, landed, letGo, nextFrame, toldBy, isMac, focusOn, checkable, checkedSoon, readable,
  look, changedSince, outerHtml, documentTitle,
  seenText, forgetSeen, placesOf, findElements,
};
