// CodeMirror 6 with its basic setup: brackets and quotes are closed, lines indented.
import { javascript } from '@codemirror/lang-javascript';
import { EditorState } from '@codemirror/state';
import { basicSetup, EditorView } from 'codemirror';

const stateOf = (doc) =>
  EditorState.create({
    doc,
    extensions: [basicSetup, javascript(), EditorView.contentAttributes.of({ 'aria-label': 'Editor' })],
  });
const view = new EditorView({ state: stateOf(''), parent: document.querySelector('#editor') });
view.dom.style.height = '300px'; // of a long text only a part is drawn

window.app = {
  editor: view,
  set: (text) => view.setState(stateOf(text)),
  value: () => view.state.doc.toString(),
};
