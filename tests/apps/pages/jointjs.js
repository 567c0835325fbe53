// JointJS: two nodes with ports in an SVG; a wire is dragged from port to port.
import { dia, shapes } from '@joint/core';

const graph = new dia.Graph({}, { cellNamespace: shapes });
const options = {
  width: 600,
  height: 400,
  cellViewNamespace: shapes,
  linkPinning: false,
  snapLinks: true,
  defaultLink: () => new shapes.standard.Link(),
};
new dia.Paper({ el: document.querySelector('#editor'), model: graph, ...options });
const group = (position) => ({ position, attrs: { circle: { magnet: true, r: 8 } } });
for (const [id, x] of [
  ['first', 40],
  ['second', 340],
]) {
  const node = new shapes.standard.Rectangle({
    id,
    position: { x, y: 100 },
    size: { width: 120, height: 50 },
    attrs: { label: { text: `The ${id}` } },
  });
  node.set('ports', {
    groups: { in: group('left'), out: group('right') },
    items: [
      { id: 'in', group: 'in' },
      { id: 'out', group: 'out' },
    ],
  });
  node.addTo(graph);
}

const end = ({ id, port }) => `${id} ${port}`;
const wires = () => graph.getLinks().map((link) => `${end(link.source())} - ${end(link.target())}`);
window.app = { editor: graph, wires, place: (id) => Object.values(graph.getCell(id).position()) };
