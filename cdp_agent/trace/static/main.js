'use strict';

const KEYS = [
  ['j  k', 'the next step, the one before'],
  ['g  G', 'the first step, the last one'],
  ['/', 'search'],
  ['o', 'open or close all of the step'],
  ['p', 'enlarge the picture'],
  ['t', 'light or dark'],
  ['Esc', 'close, and end the search'],
  ['?', 'this help'],
];

class Viewer {
  /** @param {RunView[]} views */
  constructor(views) {
    this.views = views;
    this.search = h('input', {
      type: 'search',
      placeholder: 'Search  /',
      'aria-label': 'Search in all steps',
      oninput: () => this.find(),
    });
    this.found = h('output', { 'aria-live': 'polite' });
    this.help = h(
      'dialog',
      { 'aria-labelledby': 'help-title' },
      h('h2', { id: 'help-title' }, 'Keys'),
      h(
        'dl',
        {},
        KEYS.map(([key, what]) => [
          h(
            'dt',
            {},
            key.split('  ').map((each, at) => [at ? ' ' : '', h('kbd', {}, each)]),
          ),
          h('dd', {}, what),
        ]),
      ),
      h('form', { method: 'dialog', style: { marginTop: '16px' } }, h('button', { class: 'button' }, 'Close')),
    );
    this.name = h('span', { class: 'name' });
    this.stop = h(
      'button',
      { class: 'button', type: 'button', hidden: !views[0].how.live, onclick: () => post('stop', {}) },
      'Stop the run',
    );
    this.top = h('div', {});
    this.main = h('main', {});
  }

  /** Puts the page together. */
  begin() {
    document.body.append(
      h(
        'header',
        { class: 'bar' },
        this.name,
        this.search,
        this.found,
        this.stop,
        h('button', { class: 'button', type: 'button', onclick: () => this.turn() }, '◐ Theme'),
        h(
          'button',
          { class: 'button', type: 'button', 'aria-label': 'Keys', onclick: () => this.help.showModal() },
          '?',
        ),
      ),
      h(
        'div',
        { class: 'wrap' },
        this.top,
        this.main,
        h(
          'footer',
          {},
          h('p', {}, 'A trace of cdp_agent. What pages said stands here as text; secrets of the run are masked.'),
        ),
      ),
      this.help,
    );
    this.views.forEach((view) => view.render());
    this.layOut();
    document.addEventListener('keydown', (event) => this.key(event));
    document.addEventListener('click', (event) => this.follow(event));
    addEventListener('beforeprint', () =>
      elements('.told > section > details').forEach((each) => each.setAttribute('open', '')),
    );
    if (location.hash) this.go(document.getElementById(location.hash.slice(1)));
  }

  /** All but the steps themselves. */
  layOut() {
    const [first, second] = this.views;
    document.title = `${first.name} – ${standing(first.run, first.how.live)[0]}`;
    this.name.textContent = second ? 'Two runs beside each other' : first.name;
    if (second) {
      this.top.replaceChildren(compared(first, second));
      if (!this.main.firstChild) {
        const beside = (shown) =>
          h(
            'div',
            { class: 'pair' },
            this.views.map((view, at) => h('section', { 'aria-label': `Run ${at + 1}` }, shown(view))),
          );
        this.main.append(
          beside((view) => view.head()),
          beside((view) => view.timeline()),
          beside((view) => view.list),
        );
      }
      return;
    }
    this.top.replaceChildren(first.head(), first.timeline());
    if (!this.main.firstChild) this.main.append(h('div', { class: 'columns' }, first.index(), first.list));
    else this.main.querySelector('.steps').replaceWith(first.index());
    this.mark();
  }

  cards() {
    return elements('[data-card]').filter((each) => !each.hidden && each.getClientRects().length);
  }

  /** The card that is read: the one that was gone to, else the first that is not above the window. */
  get here() {
    return this.cards().find((each) => each.classList.contains('now')) ?? null;
  }

  go(card) {
    if (!card) return;
    document.querySelectorAll('.now').forEach((each) => each.classList.remove('now'));
    card.classList.add('now');
    card.scrollIntoView({ block: 'start' });
    card.focus({ preventScroll: true });
    this.current = card.id;
    this.mark();
  }

  mark() {
    elements('a[data-part]').forEach((each) => {
      const isNow = each.dataset.part === this.current;
      each.classList.toggle('now', isNow);
      if (isNow) each.setAttribute('aria-current', 'step');
      else each.removeAttribute('aria-current');
    });
    document.querySelector('.steps a.now')?.scrollIntoView({ block: 'nearest' });
  }

  move(by) {
    const cards = this.cards(),
      at = cards.indexOf(this.here);
    const next =
      at < 0
        ? cards.findIndex((each) => each.getBoundingClientRect().bottom > 80)
        : Math.min(cards.length - 1, Math.max(0, at + by));
    this.go(cards[next]);
  }

  follow(event) {
    const link = event.target.closest?.('a[data-part]');
    if (!link) return;
    event.preventDefault();
    this.go(document.getElementById(link.dataset.part));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') {
      if (document.querySelector('dialog[open]')) return; // which closes itself
      this.search.value = '';
      this.search.blur();
      this.find();
      return;
    }
    if (document.querySelector('dialog[open]')) return;
    if (event.target.matches('input, textarea, select')) {
      if (event.target === this.search && event.key === 'Enter') {
        this.search.blur();
        this.move(1);
      }
      return;
    }
    const does = {
      j: () => this.move(1),
      k: () => this.move(-1),
      g: () => this.go(this.cards()[0]),
      G: () => this.go(this.cards().at(-1)),
      '/': () => this.search.focus(),
      '?': () => this.help.showModal(),
      t: () => this.turn(),
      o: () => this.open(),
      p: () => this.here && elements('.shot', this.here)[0]?.click(),
    }[event.key];
    if (!does) return;
    event.preventDefault();
    does();
  }

  open() {
    const details = [...(this.here ?? this.main).querySelectorAll('details')];
    const isOpen = details.every((each) => each.open);
    details.forEach((each) => {
      each.open = !isOpen;
    });
  }

  turn() {
    const root = document.documentElement;
    const isDark = root.dataset.theme
      ? root.dataset.theme === 'dark'
      : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = isDark ? 'light' : 'dark';
  }

  /** Leaves the steps that have the words, wherever, and shows where. */
  find() {
    const words = this.search.value.trim().toLowerCase();
    const cards = elements('[data-card]').filter((each) => each.tagName === 'ARTICLE');
    let count = 0;
    for (const card of cards) {
      const has = !words || card.textContent.toLowerCase().includes(words) || this.prompted(card, words);
      card.hidden = !has;
      count += has ? 1 : 0;
      if (words && has)
        elements('details[data-search]', card).forEach((each) => {
          if (each.textContent.toLowerCase().includes(words)) each.setAttribute('open', '');
        });
    }
    elements('.steps a').forEach((each) => {
      each.parentElement.hidden = document.getElementById(each.dataset.part)?.hidden ?? false;
    });
    this.found.textContent = words ? `${count} of ${cards.length} steps` : '';
    highlight(words, cards);
  }

  /** Prompts are made when they are opened: whether the words are in one of a step. */
  prompted(card, words) {
    for (const view of this.views) {
      for (const [part, shown] of view.shown) {
        if (shown !== card) continue;
        const fresh = part.asked.flatMap(({ request }) => {
          const before = view.previous(request);
          return request.messages.filter((each) => !before.has(each));
        });
        return fresh.some((each) =>
          JSON.stringify(view.run.messages.get(each) ?? '')
            .toLowerCase()
            .includes(words),
        );
      }
    }
    return false;
  }
}

function highlight(words, cards) {
  if (!globalThis.Highlight) return;
  CSS.highlights.delete('found');
  if (words.length < 2) return;
  const ranges = [];
  for (const card of cards.filter((each) => !each.hidden)) {
    const walker = document.createTreeWalker(card, NodeFilter.SHOW_TEXT);
    for (let node; ranges.length < 2000 && (node = /** @type {Text|null} */ (walker.nextNode()));) {
      const text = node.data.toLowerCase();
      for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, Math.min(at + words.length, node.length));
        ranges.push(range);
      }
    }
  }
  CSS.highlights.set('found', new Highlight(...ranges));
}

function enlarge(inside) {
  const dialog = h(
    'dialog',
    { class: 'large', 'aria-label': 'Picture', onclose: () => dialog.remove() },
    h('form', { method: 'dialog' }, h('button', { class: 'shot', 'aria-label': 'Close the picture' }, inside)),
  );
  document.body.append(dialog);
  dialog.showModal();
}

/** What two runs took. @param {RunView} first @param {RunView} second */
function compared(first, second) {
  const rows = [first, second].map((view) => ({ ...view.totals(), standing: standing(view.run, false)[0] }));
  const row = (name, pick, show) => {
    const values = rows.map(pick);
    const best =
      values.some((each) => typeof each !== 'number') || values[0] === values[1] ? null : Math.min(...values);
    return h(
      'tr',
      {},
      h('th', { scope: 'row' }, name),
      values.map((each) =>
        h('td', { class: `n ${best !== null && each === best ? 'better' : ''}` }, each === null ? '–' : show(each)),
      ),
    );
  };
  return h(
    'section',
    { class: 'card', style: { marginBottom: '22px' }, 'aria-label': 'Compared' },
    h(
      'table',
      { class: 'compare' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          h('td', {}),
          [first, second].map((view, at) =>
            h('th', { scope: 'col' }, h('span', { class: 'which' }, `Run ${at + 1} `), view.run.name),
          ),
        ),
      ),
      h(
        'tbody',
        {},
        row(
          'Came to',
          (each) => each.standing,
          (each) => each,
        ),
        row('Steps', (each) => each.steps, count),
        row('Actions', (each) => each.actions, count),
        row('Time', (each) => each.seconds, time),
        row('Tokens', (each) => each.tokens.input + each.tokens.output, count),
        row('Cost', (each) => each.cost, money),
        row('Errors', (each) => each.errors, count),
      ),
    ),
  );
}

/** @param {string} packed gzip in Base64 */
async function unpacked(packed) {
  const bytes = Uint8Array.from(atob(packed), (each) => each.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).json();
}

/** Follows a run that goes on. */
function follow(viewer, reader, view) {
  const changed = new Set();
  let waits = false;
  const show = () => {
    waits = false;
    view.render(changed);
    changed.clear();
    viewer.layOut();
    if (viewer.search.value) viewer.find();
  };
  const source = new EventSource(`stream${location.search}`);
  source.addEventListener('line', (event) => {
    changed.add(reader.take(JSON.parse(event.data)));
    changed.add(reader.now);
    if (!waits) {
      waits = true;
      requestAnimationFrame(show);
    }
  });
  source.addEventListener('end', () => {
    source.close();
    view.how.live = false;
    viewer.stop.hidden = true;
    view.run.steps.forEach((each) => changed.add(each));
    show();
  });
}

async function main() {
  const records = document.getElementById('records');
  const pictures = JSON.parse(document.getElementById('pictures').textContent || '[]');
  if (records.dataset.live) {
    const reader = new RunReader('', {});
    const view = new RunView(reader.run, 's', { live: true, pair: false, answer: decide });
    const viewer = new Viewer([view]);
    viewer.begin();
    follow(viewer, reader, view);
    return;
  }
  const runs = await unpacked(records.textContent);
  const views = runs.map(({ name, lines }, at) => {
    const reader = new RunReader(name, pictures[at] ?? {});
    lines.forEach((line) => reader.take(line));
    return new RunView(reader.run, at ? 'r' : 's', { live: false, pair: runs.length > 1 });
  });
  new Viewer(views).begin();
}

/** Hands a decision in: why it does not count, or null. */
const decide = (ask, decision) => post('decisions', { id: ask.id, ...decision });

/** Why what was sent does not count, or null. @param {string} path @param {any} what */
async function post(path, what) {
  try {
    const answer = await fetch(path + location.search, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(what),
    });
    return answer.ok ? null : (await answer.json()).error.message;
  } catch (error) {
    return `The run does not answer: ${error.message}`;
  }
}

main();
