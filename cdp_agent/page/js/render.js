// Lines as text.

const DEEPEST_INDENT = 40;
const INDENTS = Array.from({ length: DEEPEST_INDENT + 1 }, (_, i) => '  '.repeat(i));

/** @param {(string | Line)[]} kids @param {Output} out */
function renderKids(kids, depth, out) {
  for (const kid of kids) {
    if (typeof kid === 'string') out.push(`${INDENTS[depth]}- text: ${plain(kid)}`, null);
    else renderLine(kid, depth, out);
  }
}

function renderLine(line, depth, out) {
  if (line.isPlace) {
    renderKids(tidy(line.kids), depth, out);
    return;
  }
  if (line.at >= 0 && line.depth === depth) {
    out.copy(line);
    return;
  }
  line.depth = depth;
  const from = out.length;
  let text = `${INDENTS[depth]}- ${line.role}`;
  if (line.name) text += ` ${quote(line.name)}`;
  text += line.states;
  if (line.id) text += ` [ref=\x01${line.id}]`;
  text += line.target;
  if (line.remote) {
    out.push(`${text}\x02${line.id}\x02`, line);
    line.size = 1;
    return;
  }
  // The text it begins with stands in its own line, like a value.
  const leads = line.value === '' && typeof line.kids[0] === 'string';
  const value = leads ? line.kids[0] : line.value;
  const kids = leads ? line.kids.slice(1) : line.kids;
  out.push(value ? `${text}: ${plain(value)}` : kids.length ? `${text}:` : text, line);
  if (kids.length) renderKids(kids, Math.min(depth + 1, DEEPEST_INDENT), out);
  line.size = out.length - from;
}

/** Which lines are in the viewport, text with the line before it. @param {(Line | string)[]} owners @returns {[number, number][]} [first, how many] */
function seenLines(owners) {
  const runs = [];
  let isSeen = true;
  for (let i = 0; i < owners.length; i++) {
    if (typeof owners[i] !== 'string') isSeen = isInView(owners[i].element);
    if (!isSeen) continue;
    const last = runs[runs.length - 1];
    if (last && last[0] + last[1] === i) last[1]++;
    else runs.push([i, 1]);
  }
  return runs;
}

function isInView(element) {
  const box = getBoundingClientRect_.call(element);
  let { top, left, bottom, right } = box;
  const home = documentOf(element);
  let frame = home === document ? null : defaultView_.call(home)?.frameElement;
  for (; frame; frame = defaultView_.call(documentOf(frame))?.frameElement) {
    const outer = getBoundingClientRect_.call(frame);
    top += outer.top;
    bottom += outer.top;
    left += outer.left;
    right += outer.left;
  }
  return bottom > 0 && right > 0 && top < window.innerHeight && left < window.innerWidth;
}
