// What refers to the reader from outside: observers, listeners and requested frames, which the document holds as long
// as it lives. They hold the reader weakly. Nothing else holds it but the session that uses it, so Chrome frees it,
// with all that it has cached, when that session ends, however it ends. This file is evaluated in a scope around that
// of the other files, since a function holds on to the scope that it was made in.

/** Ends the observers of readers that were freed. @type {FinalizationRegistry<MutationObserver>} */
const observersOfReaders = new FinalizationRegistry((observer) => observer.disconnect());

/** @param {WeakRef<Function>} reference */
const callingWeakly =
  (reference) =>
  (...args) =>
    reference.deref()?.(...args);

/**
 * @param {WeakRef<Function>} reference
 * @returns {(event: Event) => void} a listener that removes itself at the first event after the reader was freed
 */
const listeningWeakly = (reference) =>
  function listener(event) {
    const react = reference.deref();
    if (react) react(event);
    else for (const capture of [true, false]) event.currentTarget?.removeEventListener(event.type, listener, capture);
  };

/**
 * A function that calls `callback` as long as something else holds that. @template {Function} F
 * @param {F} callback
 * @returns {F}
 */
const weakly = (callback) => /** @type {any} */ (callingWeakly(new WeakRef(callback)));

/** An observer that ends when nothing else holds `callback`. @param {MutationCallback} callback */
function observerFor(callback) {
  const observer = new MutationObserver(weakly(callback));
  observersOfReaders.register(callback, observer);
  return observer;
}

/** A listener that ends when nothing else holds `callback`. @param {(event: any) => void} callback */
const listenerFor = (callback) => listeningWeakly(new WeakRef(callback));
