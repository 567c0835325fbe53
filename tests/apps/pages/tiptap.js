// Tiptap with its starter kit, a menu for slash commands and one for mentions.
import { Editor, Extension } from '@tiptap/core';
import Mention from '@tiptap/extension-mention';
import { DOMParser } from '@tiptap/pm/model';
import { EditorState, PluginKey } from '@tiptap/pm/state';
import StarterKit from '@tiptap/starter-kit';
import Suggestion from '@tiptap/suggestion';
import { paragraphs } from '../shared/paragraphs.js';
import { blocksOf, boldOf, valueOf } from '../shared/prosemirror_doc.js';

/** A list under the text, with the arrow keys and Enter as in all such menus. */
function menu() {
  const list = document.createElement('ul');
  list.setAttribute('role', 'listbox');
  let items = [];
  let at = 0;
  let choose = null;
  const draw = (props) => {
    items = props.items;
    choose = props.command;
    at = Math.min(at, Math.max(0, items.length - 1));
    list.replaceChildren(
      ...items.map((item, index) => {
        const option = document.createElement('li');
        option.setAttribute('role', 'option');
        option.setAttribute('aria-selected', String(index === at));
        option.textContent = item.label;
        option.onmousedown = (event) => {
          event.preventDefault();
          choose(item);
        };
        return option;
      }),
    );
  };
  return {
    onStart: (props) => {
      at = 0;
      draw(props);
      document.body.append(list);
    },
    onUpdate: draw,
    onExit: () => list.remove(),
    onKeyDown({ event }) {
      if (event.key === 'Escape') list.remove();
      if (event.key === 'Enter' && items[at]) {
        choose(items[at]);
        return true;
      }
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return false;
      at = (at + (event.key === 'ArrowDown' ? 1 : items.length - 1)) % items.length;
      draw({ items, command: choose });
      return true;
    },
  };
}

const named =
  (labels) =>
  ({ query }) =>
    labels
      .filter((label) => label.toLowerCase().startsWith(query.toLowerCase()))
      .map((label) => ({ id: label, label }));
const COMMANDS = {
  'Heading 1': (chain) => chain.setNode('heading', { level: 1 }),
  'Bullet list': (chain) => chain.toggleBulletList(),
  'Code block': (chain) => chain.setNode('codeBlock'),
};
const Slash = Extension.create({
  name: 'slash',
  addProseMirrorPlugins() {
    return [
      Suggestion({
        editor: this.editor,
        char: '/',
        pluginKey: new PluginKey('slash'),
        items: named(Object.keys(COMMANDS)),
        render: menu,
        command: ({ editor, range, props }) => COMMANDS[props.label](editor.chain().focus().deleteRange(range)).run(),
      }),
    ];
  },
});
const people = Mention.configure({
  suggestion: { char: '@', items: named(['Ada Lovelace', 'Alan Turing', 'Grace Hopper']), render: menu },
});
const editor = new Editor({
  element: document.querySelector('#editor'),
  extensions: [StarterKit.configure({ trailingNode: false }), people, Slash],
  editorProps: { attributes: { 'aria-label': 'Editor', role: 'textbox' } },
});

window.app = {
  editor,
  set(text) {
    const doc = DOMParser.fromSchema(editor.schema).parse(paragraphs(text), { preserveWhitespace: 'full' });
    editor.view.updateState(EditorState.create({ doc, plugins: editor.state.plugins }));
  },
  value: () => valueOf(editor.state.doc),
  blocks: () => blocksOf(editor.state.doc),
  bold: () => boldOf(editor.state.doc, 'bold'),
};
