// Runs in the page's own world (as jsonValueOf does), on the element of a code editor: the editor's object is
// accessible only there. It reads properties and calls nothing that changes anything. The page can fake what it
// returns.

/**
 * @this {HTMLElement}
 * @returns {string | null} JSON: the text, and the start and end of the selection ([line, column] from 0)
 */
function codeOfEditor() {
  const ordered = (one, other) =>
    one[0] < other[0] || (one[0] === other[0] && one[1] <= other[1]) ? [one, other] : [other, one];
  const answer = (text, one, other) => {
    const [from, to] = ordered(one, other);
    return JSON.stringify({ text: String(text), from: from.map(Number), to: to.map(Number) });
  };
  const linesOf = (part, name) => (part.children ? part.children.flatMap((each) => linesOf(each, name)) : part[name]);
  if (this.CodeMirror) {
    const { doc } = this.CodeMirror;
    const { anchor, head } = doc.sel.ranges[doc.sel.primIndex];
    return answer(
      linesOf(doc, 'lines')
        .map((line) => line.text)
        .join('\n'),
      [anchor.line, anchor.ch],
      [head.line, head.ch],
    );
  }
  if (this.env && this.env.editor) {
    const { doc, selection } = this.env.editor.session;
    return answer(
      doc.getAllLines().join('\n'),
      [selection.anchor.row, selection.anchor.column],
      [selection.lead.row, selection.lead.column],
    );
  }
  const content = this.querySelector('.cm-content');
  if (content) {
    const view = content.cmTile ? content.cmTile.root.view : content.cmView ? content.cmView.rootView.view : null;
    if (!view) return null;
    const lines = linesOf(view.state.doc, 'text');
    const place = (offset) => {
      let row = 0;
      for (; row < lines.length - 1 && offset > lines[row].length; row++) offset -= lines[row].length + 1;
      return [row, offset];
    };
    const { anchor, head } = view.state.selection.main;
    return answer(lines.join('\n'), place(anchor), place(head));
  }
  const editors =
    window.monaco && window.monaco.editor && window.monaco.editor.getEditors ? window.monaco.editor.getEditors() : [];
  const editor = editors.find((each) => each.getContainerDomNode().contains(this));
  if (!editor || !editor.getModel()) return null;
  const { selectionStartLineNumber, selectionStartColumn, positionLineNumber, positionColumn } = editor.getSelection();
  return answer(
    editor.getModel().getLinesContent().join('\n'),
    [selectionStartLineNumber - 1, selectionStartColumn - 1],
    [positionLineNumber - 1, positionColumn - 1],
  );
}
