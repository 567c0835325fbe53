// TinyMCE: what is edited is the body of an iframe.
import { paragraphs } from '../shared/paragraphs.js';
import tinymce from 'tinymce';
import 'tinymce/icons/default/icons.js';
import 'tinymce/models/dom/model.js';
import 'tinymce/plugins/lists/plugin.js';
import 'tinymce/skins/ui/oxide/skin.js';
import 'tinymce/skins/ui/oxide/content.js';
import 'tinymce/skins/content/default/content.js';
import 'tinymce/themes/silver/theme.js';

const [editor] = await tinymce.init({
  selector: '#editor',
  license_key: 'gpl',
  plugins: 'lists',
  promotion: false,
  menubar: false,
  statusbar: false,
  toolbar: 'undo redo bold',
  iframe_aria_text: 'Editor',
});
const blocks = () =>
  [...editor.getBody().querySelectorAll('p,li,h1,h2,h3,pre,blockquote')].map((each) => [
    each.nodeName.toLowerCase(),
    each.innerText.replace(/\u00a0/g, ' ').replace(/\n$/, ''),
  ]);

window.app = {
  editor,
  set: (text) => {
    editor.setContent(paragraphs(text.replace(/ /g, '\u00a0')).innerHTML);
    editor.undoManager.clear();
    editor.undoManager.add();
  },
  value: () =>
    blocks()
      .map(([, text]) => text)
      .join('\n'),
  blocks,
  bold: () => [...editor.getBody().querySelectorAll('strong')].map((each) => each.textContent).join(''),
};
