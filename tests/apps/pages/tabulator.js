// Tabulator: a cell becomes a field on a click, and is drawn anew when it is left.
import { TabulatorFull } from 'tabulator-tables';
import 'tabulator-tables/dist/css/tabulator.min.css';

const data = ['Ada', 'Grace', 'Linus'].map((name, id) => ({ id, name, age: 30 + id }));
const columns = [
  { title: 'Name', field: 'name', editor: 'input' },
  { title: 'Age', field: 'age', editor: 'number' },
];
const editor = new TabulatorFull('#editor', { data, columns });

window.app = { editor, row: (index) => editor.getData()[index] };
