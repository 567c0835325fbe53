return { snapshot, adoptRoots, adoptInternals, adoptListening, describe, idOf, elementOf, elementsOf, isAlive, changes, stopWatching,
  aim, aimThrough, landed, letGo, nextFrame, toldBy, isMac, isHovered, focusOn, checkable, checkedSoon, readable };
