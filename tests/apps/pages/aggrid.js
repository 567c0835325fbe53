// AG Grid: a cell becomes a field when it is double-clicked, when Enter is pressed on it, or when one types.
import { AllCommunityModule, createGrid, ModuleRegistry } from 'ag-grid-community';

ModuleRegistry.registerModules([AllCommunityModule]);
const element = document.querySelector('#editor');
element.style.height = '300px';
const rowData = Array.from({ length: 200 }, (_, index) => ({
  name: `Person ${index + 1}`,
  age: 20 + (index % 50),
  city: 'Oslo',
  notes: '',
  fixed: index,
}));
const columnDefs = [
  { field: 'name', editable: true },
  { field: 'age', editable: true, cellEditor: 'agNumberCellEditor' },
  {
    field: 'city',
    editable: true,
    cellEditor: 'agSelectCellEditor',
    cellEditorParams: { values: ['Oslo', 'Rome', 'Lima'] },
  },
  { field: 'notes', editable: true, cellEditor: 'agLargeTextCellEditor', cellEditorPopup: true },
  { field: 'fixed' },
];
const grid = createGrid(element, { columnDefs, rowData });

window.app = { editor: grid, row: (index) => grid.getDisplayedRowAtIndex(index).data };
