// Ace with JavaScript: it closes brackets and indents.
import ace from 'ace-builds/src-noconflict/ace.js';
import 'ace-builds/src-noconflict/mode-javascript.js';
import 'ace-builds/src-noconflict/theme-chrome.js';

const element = document.querySelector('#editor');
element.style.height = '300px';
const editor = ace.edit(element, { mode: 'ace/mode/javascript', theme: 'ace/theme/chrome', useWorker: false });
editor.textInput.getElement().setAttribute('aria-label', 'Editor');

window.app = {
  editor,
  set: (text) => {
    editor.session.setValue(text);
    editor.clearSelection();
  },
  value: () => editor.getValue(),
};
