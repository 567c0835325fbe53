// Konva: a canvas on which lines are drawn, and a shape is moved.
import Konva from 'konva';

const stage = new Konva.Stage({ container: document.querySelector('#editor'), width: 500, height: 300 });
const layer = new Konva.Layer();
const box = new Konva.Rect({ x: 20, y: 20, width: 60, height: 40, fill: 'teal', draggable: true });
stage.add(layer.add(box));
let line = null;
stage.on('pointerdown', ({ target }) => {
  const { x, y } = stage.getPointerPosition();
  if (target === stage) layer.add((line = new Konva.Line({ points: [x, y], stroke: 'black' })));
});
stage.on('pointermove', () => {
  const { x, y } = stage.getPointerPosition();
  line?.points([...line.points(), x, y]);
});
stage.on('pointerup', () => (line = null));

window.app = {
  editor: stage,
  place: () => [box.x(), box.y()],
  lines: () => stage.find('Line').map((each) => [...each.points().slice(0, 2), ...each.points().slice(-2)]),
};
