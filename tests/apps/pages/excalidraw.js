// Excalidraw: shapes are drawn, typed into, moved and removed on canvases. Its own scene tells what there is.
import { Excalidraw } from '@excalidraw/excalidraw';
import '@excalidraw/excalidraw/index.css';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';

const shapes = (api) =>
  api
    .getSceneElements()
    .map(({ type, x, y, width, height, text }) =>
      text === undefined ? [type, ...[x, y, width, height].map(Math.round)] : [type, text],
    );
const excalidrawAPI = (api) => {
  window.app = { editor: api, shapes: () => shapes(api) };
};
const element = document.querySelector('#editor');
element.setAttribute('style', 'width: 1000px; height: 600px');
createRoot(element).render(createElement(Excalidraw, { excalidrawAPI }));
