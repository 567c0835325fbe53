// Quill with lists, code blocks and its toolbar.
import Quill from 'quill';
import 'quill/dist/quill.snow.css';

const modules = { toolbar: [['bold', 'italic'], [{ list: 'bullet' }, { list: 'ordered' }], ['code-block']] };
const quill = new Quill('#editor', { theme: 'snow', modules });
quill.root.setAttribute('aria-label', 'Editor');

window.app = {
  editor: quill,
  set: (text) => {
    quill.setText(text);
    quill.history.clear();
  },
  value: () => quill.getText().replace(/\n$/, ''),
  /** Each block's kind and text. */
  blocks: () =>
    quill
      .getLines()
      .map((line) => [
        line.constructor.blotName === 'list' ? `list ${line.formats().list}` : line.constructor.blotName,
        line.domNode.textContent,
      ]),
  bold: () =>
    quill
      .getContents()
      .ops.filter((op) => op.attributes?.bold)
      .map((op) => op.insert)
      .join(''),
};
