// dnd-kit: a list in a box that scrolls, sorted by pointer events; it scrolls by itself while something is held at its
// edge.
import { closestCenter, DndContext, PointerSensor, useSensor, useSensors } from '@dnd-kit/core';
import { arrayMove, SortableContext, useSortable, verticalListSortingStrategy } from '@dnd-kit/sortable';
import { CSS } from '@dnd-kit/utilities';
import { createElement, useState } from 'react';
import { createRoot } from 'react-dom/client';

function Item({ id }) {
  const { attributes, listeners, setNodeRef, transform, transition } = useSortable({ id });
  const style = { height: '40px', transform: CSS.Transform.toString(transform), transition };
  return createElement('div', { ref: setNodeRef, style, ...attributes, ...listeners }, id);
}

function List() {
  const [items, setItems] = useState(() => [...Array(30).keys()].map((n) => `Item ${n + 1}`));
  const [held, setHeld] = useState(false);
  const sensors = useSensors(useSensor(PointerSensor, { activationConstraint: { distance: 5 } }));
  const onDragEnd = ({ active, over }) => {
    setHeld(false);
    if (over) setItems((now) => arrayMove(now, now.indexOf(active.id), now.indexOf(over.id)));
  };
  window.app = { editor: true, order: () => items, held: () => held };
  const list = createElement(
    SortableContext,
    { items, strategy: verticalListSortingStrategy },
    items.map((id) => createElement(Item, { key: id, id })),
  );
  return createElement(
    DndContext,
    {
      sensors,
      collisionDetection: closestCenter,
      onDragStart: () => setHeld(true),
      onDragCancel: () => setHeld(false),
      onDragEnd,
    },
    list,
  );
}

const element = document.querySelector('#editor');
element.setAttribute('style', 'width: 300px; height: 240px; overflow: auto');
createRoot(element).render(createElement(List));
