// The select of Ant Design: what is said to screen readers stands beside the list that is seen, which holds what is in
// view alone.
import Select from '@rc-component/select';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';

const values = {};

/** A list of so many cities, filtered by what they are called in the data alone. */
function list(id, props) {
  const line = document.querySelector('#editor').appendChild(document.createElement('p'));
  line.innerHTML = `<label for="${id}">${id}</label> <span></span>`;
  values[id] = () => [];
  const onChange = (now) => (values[id] = () => [now].flat());
  const style = { width: 200, display: 'inline-block' };
  createRoot(line.lastChild).render(createElement(Select, { id, style, onChange, prefixCls: 'rc-select', ...props }));
}

const sheet = document.head.appendChild(document.createElement('style'));
sheet.textContent = `.rc-select-dropdown { position: absolute; background: white; border: 1px solid }
  .rc-select-dropdown-hidden { display: none } .rc-select-item { height: 24px }`;
const cities = Array.from({ length: 60 }, (_, i) => ({ value: `c${i}`, label: `City ${i}` }));
list('City', { options: cities, showSearch: true, listHeight: 240, listItemHeight: 24 });
list('Tags', { options: ['red', 'blue'].map((value) => ({ value })), mode: 'tags' });

window.app = { editor: true, chosen: (id) => values[id]() };
