// Lines as text.

const DEEPEST_INDENT = 40;
const INDENTS = Array.from({ length: DEEPEST_INDENT + 1 }, (_, i) => '  '.repeat(i));

/** @param {(string | Line)[]} kids @param {Output} out */
function renderKids(kids, depth, out) {
  for (const kid of kids) {
    if (typeof kid === 'string') out.push(`${markOfText(kid)}${INDENTS[depth]}- text: ${plain(kid)}`, null);
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
  let text = `${reading.marks ? markOf(line) : ''}${INDENTS[depth]}- ${line.role}`;
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

/** "v" can be acted on and in the viewport, "t" the rest of it, "i" can be acted on elsewhere, "." the rest. */
function markOf(line) {
  const inView = isInView(line.element);
  reading.textMark = inView ? 't' : '.';
  return line.id ? (inView ? 'v' : 'i') : reading.textMark;
}

// Text goes with the line that was placed before it.
const markOfText = () => (reading.marks ? (reading.textMark ?? 't') : '');

function isInView(element) {
  const box = getBoundingClientRect_.call(element);
  let { top, left, bottom, right } = box;
  const view = defaultView_.call(documentOf(element));
  let frame = view && view.frameElement;
  for (; frame; frame = defaultView_.call(documentOf(frame))?.frameElement) {
    const outer = getBoundingClientRect_.call(frame);
    top += outer.top;
    bottom += outer.top;
    left += outer.left;
    right += outer.left;
  }
  return bottom > 0 && right > 0 && top < window.innerHeight && left < window.innerWidth;
}
