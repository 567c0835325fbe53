// ProseMirror with its example setup: input rules make lists, headings, quotes and typographic quotes of what is typed.
import { exampleSetup } from 'prosemirror-example-setup';
import { DOMParser, Schema } from 'prosemirror-model';
import { schema as basic } from 'prosemirror-schema-basic';
import { addListNodes } from 'prosemirror-schema-list';
import { EditorState } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';
import 'prosemirror-view/style/prosemirror.css';
import 'prosemirror-menu/style/menu.css';
import 'prosemirror-example-setup/style/style.css';
import { paragraphs } from '../shared/paragraphs.js';
import { blocksOf, boldOf, valueOf } from '../shared/prosemirror_doc.js';

const schema = new Schema({
  nodes: addListNodes(basic.spec.nodes, 'paragraph block*', 'block'),
  marks: basic.spec.marks,
});
const stateOf = (text) =>
  EditorState.create({
    doc: DOMParser.fromSchema(schema).parse(paragraphs(text), { preserveWhitespace: 'full' }),
    plugins: exampleSetup({ schema }),
  });
const view = new EditorView(document.querySelector('#editor'), {
  state: stateOf(''),
  attributes: { 'aria-label': 'Editor' },
});

window.app = {
  editor: view,
  set: (text) => view.updateState(stateOf(text)),
  value: () => valueOf(view.state.doc),
  blocks: () => blocksOf(view.state.doc),
  bold: () => boldOf(view.state.doc, 'strong'),
};
