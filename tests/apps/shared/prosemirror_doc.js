// What a ProseMirror document holds, for the editors that are built on it.

export const valueOf = (doc) =>
  blocksOf(doc)
    .map(([, text]) => text)
    .join('\n');

export function boldOf(doc, mark) {
  let bold = '';
  doc.descendants((node) => {
    if (node.isText && node.marks.some((each) => each.type.name === mark)) bold += node.text;
  });
  return bold;
}

/** Each textblock: the kinds of what it is in, and its text. */
export function blocksOf(doc) {
  const found = [];
  const textOf = (leaf) => (/^hard_?break$/i.test(leaf.type.name) ? '\n' : (leaf.attrs.label ?? ''));
  const visit = (node, path) => {
    if (node.isTextblock) found.push([path.join(' '), node.textBetween(0, node.content.size, '\n', textOf)]);
    else node.forEach((child) => visit(child, [...path, child.type.name]));
  };
  visit(doc, []);
  return found;
}
