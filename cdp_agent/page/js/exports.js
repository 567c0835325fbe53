return { snapshot, adoptRoots, adoptInternals, adoptClickable, describe, idOf, elementOf, elementsOf, isAlive, changes, stopWatching };
