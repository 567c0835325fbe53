// Handsontable: one field lies over whichever cell is edited, and goes on to the next one with Enter.
import Handsontable from 'handsontable';
import 'handsontable/styles/handsontable.min.css';

const data = ['Ada', 'Grace', 'Linus'].map((name, id) => [name, 30 + id]);
const element = document.querySelector('#editor');
const editor = new Handsontable(element, {
  data,
  columns: [{}, { type: 'numeric' }],
  licenseKey: 'non-commercial-and-evaluation',
});

window.app = { editor, row: (index) => ({ name: editor.getData()[index][0], age: editor.getData()[index][1] }) };
