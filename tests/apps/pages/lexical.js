// Lexical's rich text, with lists, history and Markdown shortcuts, without a framework.
import { createEmptyHistoryState, registerHistory } from '@lexical/history';
import { $isListItemNode, ListItemNode, ListNode, registerList } from '@lexical/list';
import { registerMarkdownShortcuts, TRANSFORMERS } from '@lexical/markdown';
import { HeadingNode, QuoteNode, registerRichText } from '@lexical/rich-text';
import { CodeNode } from '@lexical/code-core';
import { LinkNode } from '@lexical/link';
import {
  $createParagraphNode,
  $createTextNode,
  $getRoot,
  $isElementNode,
  $isTextNode,
  createEditor,
  HISTORY_MERGE_TAG,
} from 'lexical';

const root = document.querySelector('#editor');
root.setAttribute('contenteditable', 'true');
root.setAttribute('role', 'textbox');
root.setAttribute('aria-multiline', 'true');
root.setAttribute('aria-label', 'Editor');
root.style.whiteSpace = 'pre-wrap';
const editor = createEditor({
  namespace: 'tests',
  nodes: [HeadingNode, QuoteNode, ListNode, ListItemNode, CodeNode, LinkNode],
  onError: (error) => {
    throw error;
  },
  theme: { text: { bold: 'bold' } },
});
const history = createEmptyHistoryState();
editor.setRootElement(root);
registerRichText(editor);
registerList(editor);
registerMarkdownShortcuts(editor, TRANSFORMERS);
registerHistory(editor, history, 300);

const set = (text) => {
  const fill = () => {
    $getRoot().clear();
    for (const line of text.split('\n')) {
      const paragraph = $createParagraphNode();
      if (line) paragraph.append($createTextNode(line));
      $getRoot().append(paragraph);
    }
  };
  editor.update(fill, { discrete: true, tag: HISTORY_MERGE_TAG });
  Object.assign(history, { ...createEmptyHistoryState(), current: { editor, editorState: editor.getEditorState() } });
};
set('');

/** The blocks that hold text, lists' items one by one. */
function textblocks(node = $getRoot(), path = []) {
  return node.getChildren().flatMap((child) => {
    const here = [...path, child.getType()];
    const inner = $isElementNode(child)
      ? child.getChildren().filter((each) => $isElementNode(each) && !each.isInline())
      : [];
    return inner.length && !($isListItemNode(child) && inner.length < child.getChildrenSize())
      ? textblocks(child, here)
      : [[here.join(' '), child.getTextContent()]];
  });
}

window.app = {
  editor,
  set,
  value: () =>
    editor.read(() =>
      textblocks()
        .map(([, text]) => text)
        .join('\n'),
    ),
  blocks: () => editor.read(() => textblocks()),
  bold: () =>
    editor.read(() =>
      $getRoot()
        .getAllTextNodes()
        .filter((node) => $isTextNode(node) && node.hasFormat('bold'))
        .map((node) => node.getTextContent())
        .join(''),
    ),
};
