return { describe, isAlive, changes, stopWatching,
  aim, aimThrough, landed, landedAfter, nextFrame, toldBy, isMac, focusOn, checkable, checkedSoon,
  readyField, focusedField, setField, filledWith, filledAfterKey, submitFrom, listKind, chooseNative, setOption, beginChoice, filterField, findOption, scrollOptions, shown, isChosenNow,
  elementBy, fileField, fileNames, isDraggable, readable,
  look, changedSince, isShownNow, outerHtml, documentTitle,
  secretField, secretStranger, enterSecret, coversOf, coversThrough,
  seenText, forgetSeen, placesOf, findElements, listed, scrollBox, scrolledTo, moveBox, bringIntoView, topOf,
  marksOf, marksThrough, viewportPlace, paint, schema, cleanHtml, consequenceOf,
};
