// CodeMirror 5 as on many older sites.
import CodeMirror from 'codemirror5';
import 'codemirror5/addon/edit/closebrackets.js';
import 'codemirror5/addon/edit/matchbrackets.js';
import 'codemirror5/lib/codemirror.css';
import 'codemirror5/mode/javascript/javascript.js';

const options = { mode: 'javascript', lineNumbers: true, autoCloseBrackets: true, matchBrackets: true };
const editor = CodeMirror(document.querySelector('#editor'), options);
editor.getInputField().setAttribute('aria-label', 'Editor');

window.app = {
  editor,
  set: (text) => {
    editor.setValue(text);
    editor.clearHistory();
  },
  value: () => editor.getValue(),
};
