// Ends the dedicated worker it runs in, with all that waits there to be sent.

(() => {
  globalThis.close();
})();
