'use strict';

const DECISIONS = {
  plan: [
    ['approve', 'Carry it out', true],
    ['edit', 'Change it'],
    ['reject', 'Not so'],
    ['stop', 'Stop the run'],
  ],
  action: [
    ['execute', 'Do it', true],
    ['execute', 'Allow all such for this site and this run', false, { for_site: true }],
    ['skip', 'Leave it out'],
    ['reword', 'Do something else'],
    ['stop', 'Stop the run'],
  ],
  failed: [
    ['retry', 'Try again', true],
    ['reword', 'Do something else'],
    ['skip', 'Leave it out'],
    ['stop', 'Stop the run'],
  ],
  question: [
    ['answer', 'Answer', true],
    ['decline', 'No answer'],
    ['stop', 'Stop the run'],
  ],
  form: [
    ['fill', 'Fill in', true],
    ['decline', 'Do not'],
    ['stop', 'Stop the run'],
  ],
  paused: [
    ['continue', 'Go on', true],
    ['stop', 'Stop the run'],
  ],
};
/**
 * What is said with a decision: the name of its field, and of the box for it.
 * @type {Record<string, [string, string]>}
 */
const WORDS = {
  edit: ['steps', 'The steps, one a line'],
  reject: ['correction', 'What is wrong with it'],
  reword: ['step', 'Do this instead'],
  answer: ['text', 'Your answer'],
  continue: ['text', 'What it is to know first, if anything'],
};

/**
 * The form that a question is answered with; the same one as long as it is open, so that nothing typed is lost.
 * @param {any} ask @param {(ask: any, decision: any) => Promise<string|null>} send @param {Map<number, HTMLElement>}
 *   drafts
 */
function answerForm(ask, send, drafts) {
  const before = drafts.get(ask.id);
  if (before) return before;
  const problem = h('p', { class: 'note bad', role: 'alert', hidden: true });
  const fields = (ask.type === 'form' ? ask.fields : []).map((field) => [field, fieldFor(field)]);
  const possible = DECISIONS[ask.type].filter(([name]) => !(name === 'reword' && ask.held));
  const boxes = new Map(possible.filter(([name]) => WORDS[name]).map(([name]) => [name, wordsFor(name, ask)]));
  const buttons = possible.map(([name, label, main, more]) =>
    h(
      'button',
      {
        class: `button ${main ? 'main' : ''}`,
        type: 'button',
        'data-decision': name,
        onclick: () => decide(name, more),
      },
      label,
    ),
  );
  const form = h(
    'form',
    {
      onsubmit: (event) => {
        event.preventDefault();
        decide(possible[0][0]);
      },
    },
    fields.map(([field, box]) =>
      h(
        'label',
        {},
        `${field.label}${field.required ? ' (required)' : ''}`,
        box,
        field.error ? h('span', { class: 'note bad' }, `The page says: ${field.error}`) : '',
      ),
    ),
    [...boxes.values()],
    h('div', {}, buttons),
    problem,
  );
  drafts.set(ask.id, form);

  async function decide(name, more = {}) {
    const box = boxes.get(name);
    if (box && box.hidden) {
      box.hidden = false;
      box.querySelector('input, textarea').focus();
      return;
    }
    /** @type {Record<string, any>} */
    const decision = { decision: name, ...more };
    if (box) {
      const said = box.querySelector('input, textarea').value.trim();
      decision[WORDS[name][0]] =
        name === 'edit'
          ? said
              .split('\n')
              .map((each) => each.trim())
              .filter(Boolean)
          : said;
    }
    if (name === 'fill')
      decision.values = Object.fromEntries(fields.map(([field, input]) => [field.ref, valueOf(input)]));
    buttons.forEach((each) => {
      each.disabled = true;
    });
    const why = await send(ask, decision);
    buttons.forEach((each) => {
      each.disabled = false;
    });
    problem.textContent = why ?? '';
    problem.hidden = !why;
  }
  return form;
}

function wordsFor(name, ask) {
  const label = WORDS[name][1];
  const isFirst = name === 'answer' || name === 'continue';
  const options = name === 'answer' ? (ask.options ?? []) : [];
  const box =
    name === 'edit'
      ? h('textarea', { rows: Math.min(12, ask.steps.length + 2) })
      : h('input', { type: 'text', autocomplete: 'off' });
  if (name === 'edit') box.value = ask.steps.join('\n');
  return h(
    'div',
    { class: 'words', hidden: !isFirst },
    h('label', {}, label, box),
    options.map((each) =>
      h(
        'button',
        {
          class: 'button',
          type: 'button',
          onclick: () => {
            box.value = each;
          },
        },
        each,
      ),
    ),
  );
}

function fieldFor(field) {
  if (field.field_type === 'checkbox') return h('input', { type: 'checkbox', checked: field.current_value === 'true' });
  if (field.options.length) {
    return h(
      'select',
      { multiple: field.field_type === 'multiselect' },
      field.options.map((each) => h('option', { selected: each === field.current_value }, each)),
    );
  }
  const input = h('input', { type: field.field_type === 'password' ? 'password' : 'text', autocomplete: 'off' });
  input.value = field.current_value;
  return input;
}

function valueOf(input) {
  if (input.type === 'checkbox') return input.checked;
  return input.multiple ? [...input.selectedOptions].map((each) => each.value) : input.value;
}
