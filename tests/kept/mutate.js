// Changes the page at random, `count` times, from a seed on; says what was done.
(seed, count) => {
  let state = seed;
  const random = () => (state = (state * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff;
  const pick = (list) => list[Math.floor(random() * list.length)];
  const word = () => `w${Math.floor(random() * 1e6).toString(36)}`;
  // The long list is there to be kept.
  const elements = () => [...document.body.querySelectorAll(random() < 0.2 ? '*' : ':not(main > ol, main > ol *)')];
  const element = () => pick(elements().filter((each) => each.tagName !== 'MAIN' && each.tagName !== 'SCRIPT'));
  const one = (selector) => pick([...document.querySelectorAll(selector)]);
  const leaf = () => pick(elements().filter((each) => !each.firstElementChild && each.tagName !== 'SCRIPT'));
  const small = () => pick(elements().filter((each) => each.getElementsByTagName('*').length < 12 && each.tagName !== 'SCRIPT'));
  const classes = 'open panel hidden unseen hand mark star flex switch by-variable when-starred goods wide help below lit led'.split(' ');
  const markup = () => pick([
    `<p>${word()} <a href="/x" data-note=${word()}>${word()}</a></p>`, `<button>${word()}</button>`, `<p></p>`, `<i class=star></i>`, `<div class=led></div>`,
    `<span title=t${pick('123')} tabindex=0>${word()}</span>`, `<label>${word()} <input value=${word()}></label>`, `<li>${word()}</li>`, `<th>${word()}</th>`,
    `<table><tr><th>${word()}<td>${word()}</table>`, `<details><summary>${word()}</summary>${word()}</details>`, `<h3>${word()}</h3>`, `<label for=name>${word()}</label>`,
    `<div class="${pick(classes)} ${pick(classes)}">${word()}</div>`, `<select><option>${word()}<option selected>${word()}</select>`, `<div onclick=0>${word()}</div>`,
    `<svg width=60 height=60><rect id=${word()} width=9 height=9></rect></svg>`, `<div role=dialog aria-labelledby=named><b id=named>${word()}</b></div>`, `<legend>${word()}</legend>`,
    `<div popover>${word()}</div>`, `<x-own>${word()}</x-own>`, `<dialog open>${word()}</dialog>`, `<summary>${word()}</summary>`, `<div tabindex=-1>${word()}</div>`,
  ]);
  const attributes = () => pick([
    ['title', pick(['t1', 't2', 'Permalink'])], ['aria-label', word()], ['role', pick('button none list row cell group heading img table'.split(' '))], ['hidden', ''], ['tabindex', pick(['0', '-1'])],
    ['aria-hidden', 'true'], ['aria-disabled', pick(['true', 'false'])], ['href', `/${word()}`], ['aria-expanded', 'true'], ['inert', ''], ['id', pick(['named', 'help', 'name', word()])],
    ['aria-labelledby', pick(['named', 'help'])], ['aria-describedby', 'help'], ['onclick', ''], ['open', ''], ['for', 'name'], ['scope', 'row'], ['alt', word()], ['aria-current', 'page'],
    ['disabled', ''], ['contenteditable', 'true'], ['popover', ''], ['data-note', word()], ['value', word()], ['checked', ''], ['type', pick(['checkbox', 'text'])], ['dir', 'rtl'],
  ]);
  const rules = () => pick([
    '.goods + * { display: none }', '.star ~ p { visibility: hidden }', 'p:first-child { display: inline }', 'li:nth-child(even)::before { content: "even " }', 'div:has(> a) { cursor: pointer }',
    'li:empty, p:last-child { display: none }', '', 'td:only-child::after { content: attr(title) }', 'em + code { display: block }', 'li::before { counter-increment: n; content: counter(n) }',
    '@container (min-width: 1px) { p { display: none } }', 'input:invalid ~ * { display: none }', '@keyframes k { to { visibility: hidden } } .mark { animation: k 9s forwards }',
  ]);
  const styles = () => pick([
    ['display', pick(['none', '', 'inline', 'block', 'flex', 'contents'])], ['visibility', pick(['hidden', 'visible'])], ['cursor', 'pointer'], ['contentVisibility', 'hidden'], ['width', '0'],
    ['position', 'absolute'], ['float', 'left'],
  ]);
  const sheet = () => document.querySelector('style').sheet;
  const setText = (found, text) => {
    const node = [...found.childNodes].find((each) => each.nodeType === 3);
    if (node) node.data = text;
    else found.append(text);
  };
  const changes = {
    text: () => setText(leaf(), word()),
    emptyText: () => setText(leaf(), pick(['', ' '])),
    attribute: () => element().setAttribute(...attributes()),
    noAttribute() {
      const found = element();
      const names = found.getAttributeNames();
      if (names.length) found.removeAttribute(pick(names));
    },
    class: () => element().classList.toggle(pick(classes)),
    style: () => Object.assign(element().style, Object.fromEntries([styles()])),
    insert: () => element().insertAdjacentHTML(pick(['beforebegin', 'afterbegin', 'beforeend', 'afterend']), markup()),
    remove: () => small().remove(),
    move() {
      const [what, where] = [small(), element()];
      if (!what.contains(where)) pick([() => where.append(what), () => where.before(what)])();
    },
    swap() {
      const found = small();
      found.nextElementSibling?.after(found);
    },
    value: () => Object.assign(one('input:not([type=checkbox], [type=radio]), textarea'), { value: word() }),
    check: () => Object.assign(one('[type=checkbox], [type=radio]'), pick([{ checked: true }, { checked: false }, { indeterminate: true }])),
    choose: () => Object.assign(one('select'), { selectedIndex: pick([0, 1]) }),
    focus: () => one('a[href], button, input, [tabindex]').focus(),
    blur: () => document.activeElement.blur(),
    label: () => one('label').append(word()),
    details: () => one('details').toggleAttribute('open'),
    dialog() {
      const found = one('dialog');
      if (found.open) found.close();
      else pick([() => found.show(), () => found.showModal()])();
    },
    popover: () => one('[popover]').togglePopover(),
    shadow: () => one('#host, section, h2, div').attachShadow({ mode: pick(['open', 'closed']) }).setHTMLUnsafe(`<b>${word()}</b><slot></slot><button>${word()}</button>`),
    inShadow: () => [...document.querySelectorAll('*')].find((each) => each.shadowRoot).shadowRoot.lastElementChild.append(word()),
    sheet() {
      const added = document.getElementById('added') ?? document.head.appendChild(Object.assign(document.createElement('style'), { id: 'added' }));
      added.textContent = rules();
    },
    rule: () => pick([...sheet().cssRules].filter((each) => each.style)).style.setProperty(pick(['display', 'visibility', 'color']), pick(['none', 'hidden', 'block', 'visible', 'red'])),
    insertRule: () => sheet().insertRule(`${pick(['p', 'li', 'td'])}:nth-of-type(2) { display: ${pick(['none', 'inline', 'block'])} }`, 0),
    deleteRule: () => sheet().deleteRule(0),
    disableSheet: () => Object.assign(sheet(), { disabled: !sheet().disabled }),
    listen: () => element().addEventListener('click', () => 0),
    cell: () => one('tr').insertAdjacentHTML('beforeend', `<${pick(['th', 'td'])}>${word()}`),
    row: () => one('table').insertRow(0).insertAdjacentHTML('beforeend', '<th>head'),
    lessRows: () => one('table').deleteRow(0),
    body: () => document.body.classList.toggle('open'),
    address: () => history.replaceState(null, '', `#${word()}`),
    base: () => document.head.insertAdjacentHTML('beforeend', '<base href=/elsewhere/>'),
    nothing: () => 0,
  };
  const done = [];
  for (let i = 0; i < count; i++) {
    const name = random() < 0.5 ? pick(['text', 'attribute', 'insert', 'remove', 'class', 'style', 'move']) : pick(Object.keys(changes));
    if (name === 'base' && random() < 0.8) continue;
    try {
      changes[name]();
      done.push(name);
    } catch {
      done.push(`${name} (impossible)`);
    }
  }
  return done;
}
