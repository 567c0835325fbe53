// React Flow: nodes are HTML, wires SVG; a wire is dragged from handle to handle. A node is dragged in from a palette
// or added by a double click on the canvas, renamed by a double click on it, and removed by a key, as its documentation
// shows.
import { addEdge, ReactFlow, ReactFlowProvider, useEdgesState, useNodesState, useReactFlow } from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { createElement, useState } from 'react';
import { createRoot } from 'react-dom/client';

const start = ['first', 'second'].map((id, index) => ({
  id,
  position: { x: 40, y: 40 + 180 * index },
  data: { label: `The ${id}` },
}));

function Flow() {
  const [nodes, setNodes, onNodesChange] = useNodesState(start);
  const [edges, setEdges, onEdgesChange] = useEdgesState([]);
  const [renaming, setRenaming] = useState('');
  const { screenToFlowPosition } = useReactFlow();
  const add = ({ clientX, clientY }, label) =>
    setNodes((now) => [
      ...now,
      { id: `n${now.length}`, position: screenToFlowPosition({ x: clientX, y: clientY }), data: { label } },
    ]);
  const rename = (id, label) =>
    setNodes((now) => now.map((node) => (node.id === id ? { ...node, data: { label } } : node)));
  window.app = {
    editor: true,
    wires: () => edges.map(({ source, target }) => `${source} - ${target}`),
    labels: () => nodes.map(({ data }) => data.label),
    place: (id) => Object.values(nodes.find((node) => node.id === id).position),
  };
  const onDrop = (event) => add(event, event.dataTransfer.getData('text/plain'));
  const flow = createElement(ReactFlow, {
    nodes,
    edges,
    onNodesChange,
    onEdgesChange,
    onConnect: (connection) => setEdges((now) => addEdge(connection, now)),
    onDrop,
    onDragOver: (event) => event.preventDefault(),
    zoomOnDoubleClick: false,
    onNodeDoubleClick: (_, { id }) => setRenaming(id),
    onDoubleClick: (event) => event.target.matches('.react-flow__pane') && add(event, 'Clicked'),
  });
  const tile = (label) =>
    createElement(
      'div',
      { key: label, draggable: true, onDragStart: (event) => event.dataTransfer.setData('text/plain', label) },
      label,
    );
  const onKeyDown = ({ key, target }) => key === 'Enter' && (rename(renaming, target.value), setRenaming(''));
  const field = renaming && createElement('input', { 'aria-label': 'Label', autoFocus: true, onKeyDown });
  return createElement(
    'div',
    { style: { height: '400px' } },
    createElement('aside', {}, ['Filter', 'Sink'].map(tile), field),
    flow,
  );
}

const element = document.querySelector('#editor');
element.setAttribute('style', 'width: 600px; height: 460px');
createRoot(element).render(createElement(ReactFlowProvider, {}, createElement(Flow)));
