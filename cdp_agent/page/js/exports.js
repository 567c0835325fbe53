return { snapshot, adoptRoots, adoptInternals, adoptClickable, describe, idOf, elementOf };
