/** Like `addFunctions`, in the scope of this part. @param {string} source */
function addMoreFunctions(source) {
  Object.assign(this, eval(source));
}

return {
  describe,
  isAlive,
  readable,
  checkConditions,
  changedSince,
  isShownNow,
  outerHtml,
  visibleText,
  shownText,
  forgetSearchedText,
  placesOf,
  findElements,
  matching,
  apart,
  elementFacts,
  picturesShown,
  listed,
  stated,
  schema,
  cleanHtml,
  addMoreFunctions,
};
