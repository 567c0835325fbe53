// Runs in the page's own world, on the value of a script of the caller's: what that is as JSON. It changes nothing
// there, and the page can fake what it returns, as it can fake the value itself.

/**
 * The JSON value of `this`, or if that is a function, of what it returns. An object with a `toJSON`, such as a date, is
 * what that gives; what has no JSON value is named, as JSON.stringify would leave it out or write `{}` or null for it.
 * @this {any} @param {boolean} isFunction @param {any[]} values  the arguments
 * @returns {Promise<{value: any, refused: string, path: (string | number)[]}>} refused: what has no JSON value, '' if
 *   all has one; path: where it is in the result
 */
async function jsonValueOf(isFunction, ...values) {
  const within = new Set(); // the objects around the value that is looked at
  const path = [];
  const found = { value: null, refused: '', path: [] };
  const refuse = (what) => {
    if (!found.refused) Object.assign(found, { refused: what, path: [...path] });
    return null;
  };
  const at = (key, value) => {
    path.push(key);
    const copy = valueOf(value);
    path.pop();
    return copy;
  };
  const copyOf = (object) => {
    if (Array.isArray(object)) return Array.from(object, (item, index) => at(index, item));
    if (typeof object.toJSON === 'function') return valueOf(object.toJSON());
    const brand = Object.prototype.toString.call(object).slice(8, -1);
    const keys = Object.keys(object);
    const proto = Object.getPrototypeOf(object);
    const isOpaque = !keys.length && proto !== null && Object.getPrototypeOf(proto) !== null; // what it has is private
    if (brand !== 'Object' || isOpaque) return refuse(brand === 'Object' ? object.constructor.name : brand);
    const copy = { __proto__: null };
    for (const key of keys) copy[key] = at(key, object[key]);
    return copy;
  };
  const valueOf = (value) => {
    if (found.refused || value === null || value === undefined) return null;
    if (typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return value;
    if (typeof value !== 'object') return refuse(typeof value === 'number' ? String(value) : typeof value);
    if (within.has(value)) return refuse('an object inside itself');
    if (within.size > 300) return refuse('too deep');
    within.add(value);
    const copy = copyOf(value);
    within.delete(value);
    return copy;
  };
  found.value = valueOf(isFunction ? await this(...values) : this);
  return found;
}
