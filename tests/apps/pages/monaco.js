// Monaco with JavaScript's colours, as the web editor that most sites embed.
import 'monaco-editor/features/register.all.js';
import * as monaco from 'monaco-editor/editor/editor.api.js';
import 'monaco-editor/languages/definitions/javascript/register.js';

window.MonacoEnvironment = { getWorker: () => new Worker('monaco_worker.js') };
const element = document.querySelector('#editor');
element.style.height = '300px';
const editor = monaco.editor.create(element, {
  value: '',
  language: 'javascript',
  ariaLabel: 'Editor',
  automaticLayout: true,
  minimap: { enabled: false },
});
editor.getModel().setEOL(monaco.editor.EndOfLineSequence.LF);

window.app = {
  editor,
  set: (text) => {
    editor.getModel()?.dispose();
    editor.setModel(monaco.editor.createModel(text, 'javascript'));
  },
  value: () => editor.getValue(),
};
