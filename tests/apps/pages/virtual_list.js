// A list of 5,000 rows by TanStack Virtual: those in view are in the page, and no others.
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';

const list = document.querySelector('#editor');
list.setAttribute('style', 'height: 300px; overflow: auto; border: 1px solid; position: relative');
list.setAttribute('role', 'list');
const inner = list.appendChild(document.createElement('div'));
const draw = () => {
  inner.setAttribute('style', `height: ${virtualizer.getTotalSize()}px; position: relative`);
  inner.replaceChildren(
    ...virtualizer.getVirtualItems().map((item) => {
      const row = document.createElement('div');
      row.setAttribute('role', 'listitem');
      row.setAttribute('style', `position: absolute; top: 0; height: 30px; transform: translateY(${item.start}px)`);
      row.textContent = `Row number ${item.index + 1}`;
      return row;
    }),
  );
};
const virtualizer = new Virtualizer({
  count: 5000,
  getScrollElement: () => list,
  estimateSize: () => 30,
  observeElementRect,
  observeElementOffset,
  scrollToFn: elementScroll,
  onChange: draw,
});
virtualizer._didMount();
virtualizer._willUpdate();
draw();

window.app = { editor: virtualizer };
