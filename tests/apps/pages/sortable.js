// SortableJS: a list that is sorted by dragging, with a long press and without HTML's own drag and drop.
import Sortable from 'sortablejs';

const list = document.querySelector('#editor').appendChild(document.createElement('ul'));
list.setAttribute('style', 'width: 300px');
for (const name of ['Apple', 'Pear', 'Plum', 'Fig']) {
  const item = list.appendChild(document.createElement('li'));
  item.setAttribute('style', 'padding: 8px; border: 1px solid; cursor: grab');
  item.textContent = name;
}
const editor = Sortable.create(list, { forceFallback: true, delay: 200 });

window.app = { editor, order: () => [...list.children].map((item) => item.textContent) };
