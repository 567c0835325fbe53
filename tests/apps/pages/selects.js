// Lists that libraries put in the place of <select>: one and several of each, all with the same choices.
import * as Radix from '@radix-ui/react-select';
import Choices from 'choices.js';
import 'choices.js/public/assets/styles/choices.css';
import $ from 'jquery';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import ReactSelect from 'react-select';
import select2 from 'select2';
import 'select2/dist/css/select2.css';
import SlimSelect from 'slim-select';
import 'slim-select/styles';
import TomSelect from 'tom-select';
import 'tom-select/dist/css/tom-select.css';

const NAMES = ['Red', 'Green', 'Blue', 'Light blue', 'Yellow'];
const place = document.querySelector('#editor');
const values = {};

function row(id) {
  const line = place.appendChild(document.createElement('p'));
  line.setAttribute('style', 'width: 300px; margin: 0 0 220px'); // room for its list
  line.innerHTML = `<label for="${id}">${id}</label> <span></span>`;
  return line.lastChild;
}

function native(id, multiple) {
  const list = row(id).appendChild(document.createElement('select'));
  Object.assign(list, { id, multiple });
  for (const name of NAMES) list.add(new Option(name, name.toLowerCase(), false, false));
  values[id] = () => [...list.selectedOptions].map((option) => option.text);
  return list;
}

function reacts(id, element) {
  createRoot(row(id)).render(element);
}

if (typeof select2 === 'function') select2(window, $);
for (const many of [false, true]) {
  const id = (name) => (many ? `${name} many` : name);
  new Choices(native(id('Choices'), many), { shouldSort: false });
  new TomSelect(native(id('Tom'), many), {});
  new SlimSelect({ select: native(id('Slim'), many), settings: { closeOnSelect: true } });
  $(native(id('Select2'), many)).select2({ width: '200px' });
  const options = NAMES.map((label) => ({ label, value: label.toLowerCase() }));
  const name = id('React');
  values[name] = () => [];
  const onChange = (now) => (values[name] = () => [now].flat().map((each) => each.label));
  reacts(name, createElement(ReactSelect, { inputId: name, options, isMulti: many, onChange }));
}

const items = NAMES.map((name) =>
  createElement(Radix.Item, { key: name, value: name }, createElement(Radix.ItemText, {}, name)),
);
values.Radix = () => [];
const trigger = createElement(Radix.Trigger, { id: 'Radix' }, createElement(Radix.Value, { placeholder: 'Pick' }));
const popup = createElement(
  Radix.Portal,
  {},
  createElement(Radix.Content, {}, createElement(Radix.Viewport, {}, items)),
);
reacts('Radix', createElement(Radix.Root, { onValueChange: (now) => (values.Radix = () => [now]) }, trigger, popup));

window.app = { editor: true, chosen: (id) => values[id]() };
