// Puts `fuzz` on the page: `fuzz.next(seed, step, without)` thinks of a change and makes it, `fuzz.run(line)` makes one
// again. A change is a line of JavaScript that names what it is about, so that a script of fewer lines means the same.
// Elements are named by the line that brought them (`_("7.0")`: the first of line 7; lines of the page itself:
// `_("p.0")`).
(() => {
  const named = new Map();
  const names = new Map();
  const values = {}; // roots, internals and listeners that only the page has
  let serial = 0;
  let random = Math.random;

  const counts = {};
  const loading = [];

  function nameAll(root, prefix) {
    const give = (element) => {
      if (!names.has(element)) {
        counts[prefix] ??= 0;
        const name = `${prefix}.${counts[prefix]++}`;
        names.set(element, name);
        named.set(name, element);
      }
      if (element.shadowRoot) each(element.shadowRoot);
    };
    const each = (inside) => {
      if (inside.nodeType === 1) give(inside);
      for (const element of inside.querySelectorAll('*')) give(element);
    };
    each(root);
  }

  // What the lines are written with.
  const tools = {
    _(name) {
      const found = named.get(name);
      if (!found) throw new Error(`no ${name}`);
      return found;
    },
    put(line, target, where, html) {
      const before = new Set(target.ownerDocument.querySelectorAll('*'));
      target.insertAdjacentHTML(where, html);
      const around = where === 'beforebegin' || where === 'afterend' ? target.parentNode : target;
      for (const element of around.querySelectorAll('*')) if (!before.has(element)) nameAll(element, `${line}`);
    },
    fill(line, root, html) {
      root.innerHTML = html;
      nameAll(root, `${line}`);
    },
    rebuilt(line, element) {
      const copy = element.cloneNode(true);
      element.replaceWith(copy);
      nameAll(copy, `${line}`);
    },
    text(element, text) {
      const node = [...element.childNodes].find((each) => each.nodeType === 3);
      if (node) node.data = text;
      else element.append(text);
    },
    sheet: (at) => [...document.styleSheets, ...document.adoptedStyleSheets][at],
    rule(at, ...path) {
      let rule = tools.sheet(at);
      for (const index of path) rule = rule.cssRules[index];
      return rule;
    },
    adopted(css) {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      return sheet;
    },
    loads(frame, html) {
      if (frame.isConnected)
        loading.push(new Promise((done) => frame.addEventListener('load', () => done(), { once: true })));
      frame.srcdoc = html;
    },
    values,
    internalsOf: (element) => (values[`internals ${names.get(element)}`] ??= element.attachInternals()),
  };

  const pick = (list) => {
    if (!list.length) throw new Error('nothing to choose from');
    return list[Math.floor(random() * list.length)];
  };
  const word = () => `w${Math.floor(random() * 1e6).toString(36)}`;
  const ref = (element) => {
    if (!names.has(element)) throw new Error('has no name');
    return `_(${JSON.stringify(names.get(element))})`;
  };
  const q = (value) => JSON.stringify(value);
  const FILLER = 'main > ol, main > ol *';
  const all = (selector = '*') =>
    [...document.body.querySelectorAll(selector)].filter(
      (each) => names.has(each) && each.tagName !== 'SCRIPT' && each.tagName !== 'STYLE',
    );
  const usual = () => all(random() < 0.15 ? '*' : `:not(${FILLER})`);
  const any = () => ref(pick(usual().filter((each) => each.tagName !== 'MAIN')));
  const one = (selector) => ref(pick(all(selector)));
  const leaf = () => ref(pick(usual().filter((each) => !each.firstElementChild)));
  const small = () => ref(pick(usual().filter((each) => each.getElementsByTagName('*').length < 12)));
  const gone = () =>
    [...named.values()].filter((each) => !each.isConnected && each.getElementsByTagName('*').length < 40);
  const inShadow = () =>
    [...named.values()].filter((each) => each.isConnected && each.getRootNode() instanceof ShadowRoot);
  const inFrame = () => pick(all('iframe').filter((each) => each.contentDocument?.body));

  const CLASSES =
    'open panel hidden unseen hand mark star flex switch by-variable when-starred goods wide help below lit led plain spoken x y'.split(
      ' ',
    );
  const SHOWN = () =>
    pick([
      'none',
      'block',
      'inline',
      'flex',
      'contents',
      'var(--shown)',
      'var(--other, none)',
      'if(style(--mode: on): none; else: block)',
      '--fn()',
    ]);
  const markup = () =>
    pick([
      `<p>${word()} <a href="/x" data-note=${word()}>${word()}</a></p>`,
      `<button>${word()}</button>`,
      '<p></p>',
      '<i class=star></i>',
      '<div class=led></div>',
      `<span title=t${pick('123')} tabindex=0>${word()}</span>`,
      `<label>${word()} <input value=${word()}></label>`,
      `<li>${word()}</li>`,
      `<th>${word()}</th>`,
      `<table><caption aria-labelledby=${pick(['named', 'help'])}>${word()}</caption><tr><th>${word()}<td>${word()}</table>`,
      `<details><summary>${word()}</summary>${word()}</details>`,
      `<h3>${word()}</h3>`,
      `<label for=name>${word()}</label>`,
      `<div class="${pick(CLASSES)} ${pick(CLASSES)}">${word()}</div>`,
      `<select><option>${word()}<option selected>${word()}</select>`,
      `<div onclick=0>${word()}</div>`,
      `<svg width=60 height=60><rect id=${word()} width=9 height=9></rect></svg>`,
      `<div role=dialog aria-labelledby=named><b id=named>${word()}</b></div>`,
      `<legend>${word()}</legend>`,
      `<div popover>${word()}<p>${word()} <button>${word()}</button></p></div>`,
      `<x-own>${word()}</x-own>`,
      `<dialog open>${word()}</dialog>`,
      `<summary>${word()}</summary>`,
      `<div tabindex=-1>${word()}</div>`,
      `<ul><li>${word()}<p>${word()}</p></li><li><button>${word()}</button></li></ul>`,
      `<table><tr><td>${word()}<td><button>${word()}</button><tr><td><h4>${word()}</h4><p>${word()}</p></table>`,
      `<dialog><p>${word()}</p><button>${word()}</button></dialog>`,
      `<fieldset><legend>${word()}</legend><input type=checkbox><button>${word()}</button></fieldset>`,
      `<button><span aria-labelledby=named></span></button>`,
      `<div style="display: ${SHOWN()}">${word()}<b>${word()}</b></div>`,
      `<table><caption hidden><input value=${word()}></caption><tr><td>${word()}<td>${word()}</table>`,
      `<iframe title=${word()}></iframe>`,
      `<b aria-describedby=help tabindex=0>${word()}</b>`,
      `<section aria-labelledby=${pick(['named', 'name', 'help'])}><p>${word()}</p></section>`,
      `<ul role="region list" aria-labelledby=named><li>${word()}</li></ul>`,
      `<ul role=none aria-labelledby=help><li>${word()}</li></ul>`,
      `<blockquote>${word()}<cite>${word()}</cite></blockquote>`,
      `<div contenteditable>${word()}<ul><li>${word()}</li></ul></div>`,
      `<progress value=3 max=9></progress><output>${word()}</output>`,
      `<h2><button>${word()}</button></h2>`,
      `<option>${word()}</option>`,
      `<p>10<sup>${word()}</sup> <del>${word()}</del></p>`,
      `<ul role=tree><li role=treeitem aria-expanded=true>${word()}<ul role=group><li role=treeitem>${word()}</li></ul></li></ul>`,
      `<svg width=90 height=90><g role=button aria-label=${word()} onclick=0><circle r=9 cx=20 cy=20 /><text>${word()}</text></g></svg>`,
      `<button><svg width=60 height=60><text>${word()}</text></svg></button>`,
      `<p style="--shown: ${pick(['none', 'block'])}"><i style="display: var(--shown)">${word()}</i></p>`,
      `<div role=list><div role=listitem>${word()}</div><div role=listitem style="transform: translateY(-40px)">${word()}</div></div>`,
      `<div role=grid style="display: flex">${'<div role=rowgroup><div role=row><div role=gridcell>one</div></div><div role=row><div role=gridcell></div></div></div>'.repeat(2)}</div>`,
      `<div role=dialog aria-modal=true aria-label=${word()}><p>${word()}</p><button>${word()}</button></div>`,
      `<div role=tooltip id=help>${word()}</div>`,
      `<p title=${word()}>${word()} <b title=${word()}>${word()}</b></p>`,
      `<div contenteditable role=textbox aria-label=${word()}><h2>${word()}</h2><p>${word()} <b>${word()}</b><i>${word()}</i></p><p><br></p><ol><li>${word()}</li></ol></div>`,
      `<textarea>${word()}\n${word()}</textarea>`,
      `<div class=cm-editor><div class=cm-content contenteditable><div class=cm-line>${word()}</div><div class=cm-line>${word()}</div></div></div>`,
      drawing(),
      `<p>${drawing()}</p>`,
      `<img alt=${word()} width=20 height=20><img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=" width=20 height=20 class="${pick(CLASSES)}">`,
      `<canvas width=30 height=30>${word()}</canvas>`,
      `<select style="appearance: base-select"><button><selectedcontent></selectedcontent></button><option>${word()} <b>${word()}</b><option>${word()}</select>`,
      `<details name=one><summary>${word()}</summary>${word()}</details>`,
      `<button popovertarget=pop${pick('12')}>${word()}</button><div popover=hint id=pop${pick('12')}>${word()}</div>`,
      `<div style="height: 20px; overflow: hidden">${word()}<p>${word()}</p><p><a href=/y>${word()}</a></p></div>`,
      `<p part=piece>${word()}<wbr>${word()}</p>`,
      `<ruby>${word()}<rt>${word()}</rt></ruby><q>${word()}</q><abbr title=${word()}>${word()}</abbr>`,
      `<form><input value=${word()}><input type=checkbox checked><button type=reset>${word()}</button></form>`,
      `<span class="${pick(CLASSES)}">${word()}</span><i class="${pick(CLASSES)}">${word()}</i><b class="${pick(CLASSES)}">${word()}</b>`,
      `<button class="${pick(CLASSES)}">${word()}<i class="${pick(CLASSES)}">${pick(['home', '\ue001'])}</i></button>`,
    ]);
  const part = () =>
    pick([
      `<text y=${pick(['20', '40'])}>${word()} <tspan>${word()}</tspan></text>`,
      `<rect id=${word()} width=30 height=20 x=${pick(['0', '40'])}></rect>`,
      `<circle r=9 cx=20 cy=20 onclick=0></circle>`,
      `<title>${word()}</title>`,
      `<g role=img aria-label=${word()}><path d="M0 0L9 9"></path><text y=30>${word()}</text></g>`,
      `<a href="/${word()}"><text y=50>${word()}</text></a>`,
      `<use href="#r1"></use>`,
      `<desc>${word()}</desc>`,
      `<g class="${pick(CLASSES)}"><rect width=9 height=9></rect></g>`,
      `<foreignObject width=80 height=40><p xmlns="http://www.w3.org/1999/xhtml">${word()} <button>${word()}</button></p></foreignObject>`,
      `<symbol id=r1><text y=9>${word()}</text></symbol>`,
      `<switch><text y=30>${word()}</text><text y=30>${word()}</text></switch>`,
      `<text y=30 class="${pick(CLASSES)}">${word()}</text>`,
      `<g cursor=pointer><rect width=20 height=20 y=40></rect></g>`,
    ]);
  const drawing = () =>
    `<svg width=90 height=90 ${pick(['', 'role=img', `aria-label=${word()}`, 'id=r2'])}>${part()}${part()}${part()}</svg>`;
  const animated = () =>
    pick([
      '<set attributeName="visibility" to="hidden"></set>',
      '<set attributeName="display" to="none" begin="0.05s"></set>',
      '<animate attributeName="visibility" values="hidden;visible" dur="0.02s" fill="freeze"></animate>',
      '<animate attributeName="x" from="0" to="50" dur="1s" fill="freeze"></animate>',
    ]);
  const attributes = () =>
    pick([
      ['title', pick(['t1', 't2', 'Permalink'])],
      ['aria-label', word()],
      [
        'role',
        pick('button none list row cell group heading img table checkbox tab option separator alert'.split(' ')),
      ],
      ['hidden', ''],
      ['tabindex', pick(['0', '-1'])],
      ['aria-hidden', pick(['true', 'false'])],
      ['aria-disabled', pick(['true', 'false'])],
      ['href', `/${word()}`],
      ['aria-expanded', 'true'],
      ['inert', ''],
      ['id', pick(['named', 'help', 'name', word()])],
      ['aria-labelledby', pick(['named', 'help'])],
      ['aria-describedby', 'help'],
      ['onclick', ''],
      ['open', ''],
      ['for', 'name'],
      ['scope', 'row'],
      ['alt', word()],
      ['aria-current', 'page'],
      ['disabled', ''],
      ['contenteditable', pick(['true', 'false'])],
      ['popover', ''],
      ['data-note', word()],
      ['value', word()],
      ['checked', ''],
      ['type', pick(['checkbox', 'text', 'radio', 'password', 'button'])],
      ['dir', 'rtl'],
      ['lang', pick(['de', 'en', ''])],
      ['slot', 's'],
      ['aria-checked', pick(['true', 'mixed'])],
      ['summary', word()],
      ['aria-selected', 'true'],
      ['class', `${pick(CLASSES)} ${pick(CLASSES)}`],
      ['style', `--shown: ${pick(['none', 'block'])}`],
      ['style', '--mode: on'],
      [
        'style',
        pick([
          ...['height: 0; overflow: hidden', 'opacity: 0', 'position: absolute; left: -9999px', 'transform: none'],
          ...['position: fixed; inset: 0', 'max-height: 0; overflow: hidden'],
        ]),
      ],
      ['aria-level', pick('123')],
    ]);
  const RULES = () =>
    pick([
      '.goods + * { display: none }',
      `.${pick(CLASSES)} { display: flex; flex-direction: ${pick(['column', 'row-reverse', 'column-reverse'])} }`,
      `.${pick(CLASSES)} { order: ${pick(['1', '-1'])} }`,
      'b + i, p ~ p { order: -1 }',
      '.star ~ p { visibility: hidden }',
      'p:first-child { display: inline }',
      'li:nth-child(even)::before { content: "even " }',
      'div:has(> a) { cursor: pointer }',
      'li:empty, p:last-child { display: none }',
      'td:only-child::after { content: attr(title) }',
      'em + code { display: block }',
      'input:invalid ~ * { display: none }',
      'h3:hover + * { visibility: hidden }',
      `.${pick(CLASSES)} { display: ${SHOWN()} }`,
      `.${pick(CLASSES)} { --shown: ${pick(['none', 'block'])} }`,
      `.${pick(CLASSES)} { --mode: on }`,
      `:root { --shown: ${pick(['none', 'block', 'inline'])} }`,
      `.${pick(CLASSES)}::before { content: "${word()} " }`,
      `.${pick(CLASSES)} { cursor: pointer }`,
      `.${pick(CLASSES)} { & b, & + p { display: none } & a::after { content: "${word()}" } }`,
      `@media (min-width: ${pick(['1px', '9000px'])}) { .${pick(CLASSES)} { display: none } }`,
      `@layer ${pick(['one', 'two'])} { .${pick(CLASSES)} { display: ${pick(['none', 'block'])} } }`,
      `@layer ${pick(['one, two', 'two, one'])};`,
      `@scope (.${pick(CLASSES)}) { p, b { display: none } }`,
      `@supports (display: ${pick(['flex', 'never'])}) { .${pick(CLASSES)} { display: none } }`,
      `@property --shown { syntax: "*"; inherits: ${pick(['true', 'false'])}; initial-value: ${pick(['none', 'block'])} }`,
      `@function --fn() { result: ${pick(['none', 'block', 'var(--shown)'])}; }`,
      `b::after { content: var(--shown-text, "${word()}") }`,
      `.${pick(CLASSES)} { --shown-text: "${word()}" }`,
      `.${pick(CLASSES)} { background: red; width: 20px; height: 20px }`,
      'dialog:modal p { display: none }',
      '[popover]:popover-open b { display: none }',
      `button:disabled { display: ${pick(['none', 'block'])} }`,
      `.${pick(CLASSES)}:lang(de) { display: none }`,
      'summary + p { content-visibility: hidden }',
      `.${pick(CLASSES)} b { vertical-align: ${pick(['super', 'sub'])} }`,
      `.${pick(CLASSES)} + p a { text-decoration: line-through }`,
      `.${pick(CLASSES)} { ${pick(['opacity: 0', 'max-height: 0; overflow: hidden', 'transform: translateX(-5000px)'])} }`,
      `.${pick(CLASSES)} + * { ${pick(['opacity: 0', 'position: absolute; left: -9999px', 'clip-path: inset(100%)'])} }`,
      `.${pick(CLASSES)}:hover ${pick(['> *', '+ *', 'b'])} { ${pick(['opacity: 1', 'max-height: none', 'left: auto'])} }`,
      `.${pick(CLASSES)}:hover ${pick(['> *', '+ *', 'div'])} { ${pick(['display: block', 'opacity: 1'])} }`,
      `.${pick(CLASSES)} { position: ${pick(['fixed', 'absolute'])}; inset: 0; background: white }`,
      `.${pick(CLASSES)} { text-transform: uppercase }`,
      `.${pick(CLASSES)} { font-family: "Some Icons" }`,
      `.${pick(CLASSES)} + ${pick(['i', 'b', 'span', '*'])} { font-family: "Some Icons" }`,
      `.${pick(CLASSES)} + ${pick(['p', 'b', '*'])} { text-transform: ${pick(['uppercase', 'capitalize'])} }`,
      `.${pick(CLASSES)} ~ ${pick(['p', 'b', '*'])} { vertical-align: super }`,
      `.${pick(CLASSES)} ${pick(['text', 'rect', 'g', '+ g'])} { ${pick(['display: none', 'visibility: hidden', 'cursor: pointer', 'pointer-events: none', 'opacity: 0'])} }`,
      'button:empty + i { font-family: "Some Icons" }',
      `.${pick(CLASSES)} { content: ${PICTURE()} }`,
      `.${pick(CLASSES)} + ${pick(['p', 'b', 'a', '*'])} { content: ${PICTURE()} }`,
      `.${pick(CLASSES)}:focus-within { text-transform: uppercase }`,
      'p:nth-child(2n) { text-transform: var(--case, uppercase) }',
      `@container (min-width: ${pick(['1px', '300px', '9000px'])}) { .${pick(CLASSES)} { ${pick(['display: none', 'visibility: hidden', 'cursor: pointer', 'text-transform: uppercase'])} } }`,
      `.${pick(CLASSES)} { container-type: inline-size }`,
      `@container (width > 200px) { .${pick(CLASSES)} + *::before { content: "${word()} " } @media (min-width: 1px) { p:first-child { display: none } } }`,
      `@container style(--mode: on) { b { display: ${pick(['none', 'block'])} } }`,
      `:target { display: ${pick(['none', 'block'])} }`,
      `:target ~ ${pick(['p', 'b', '*'])} { visibility: hidden }`,
      `section:has(:target) b { display: none }`,
      `.${pick(CLASSES)} { opacity: ${pick(['0', '1'])} }`,
      `.${pick(CLASSES)} { height: 0; overflow: hidden }`,
      `.${pick(CLASSES)} { position: absolute; left: ${pick(['-9999px', '0'])} }`,
      `details::details-content { display: ${pick(['none', 'block'])} }`,
      `slot:has-slotted { display: none }`,
      `#host::part(piece), x-own::part(piece) { display: none }`,
      `input:user-invalid + *, input:invalid { display: none }`,
      `form:has(input:checked) p { display: none }`,
      `.${pick(CLASSES)} { clip-path: inset(50%) }`,
      `.${pick(CLASSES)} + ${pick(['p', 'b'])} { transform: scale(0) }`,
      `.${pick(CLASSES)} { @container (max-width: 300px) { display: none } }`,
      `.${pick(CLASSES)} { width: ${pick(['100px', '400px'])} }`,
    ]);
  const RARE_RULES = () =>
    pick([
      'li::before { counter-increment: n; content: counter(n) }',
      '@keyframes k { to { visibility: hidden } } .mark { animation: k 9s forwards }',
      'p { transition: visibility 9s }',
      '@starting-style { p { display: none } }',
      'p:dir(rtl) { display: none }',
      'x-own:state(on) { display: none }',
    ]);
  const anyRules = () => (random() < 0.05 ? RARE_RULES() : RULES());
  const PICTURE = () =>
    pick([
      'linear-gradient(red, blue)',
      `linear-gradient(red, blue) / "${word()}"`,
      `linear-gradient(red, blue) / attr(title) "${word()}"`,
      `var(--picture, linear-gradient(red, blue) / "${word()}")`,
    ]);
  const DECLARED = () =>
    pick([
      ['display', SHOWN()],
      ['visibility', pick(['hidden', 'visible', ''])],
      ['color', pick(['red', ''])],
      ['content', pick([`"${word()}"`, PICTURE(), ''])],
      ['cursor', pick(['pointer', ''])],
      ['--shown', pick(['none', 'block', ''])],
      ['--mode', pick(['on', 'off'])],
      ['contentVisibility', 'hidden'],
      ['width', pick(['0', '250px', '500px', ''])],
      ['containerType', pick(['inline-size', 'inline-size', ''])],
      ['position', 'absolute'],
      ['order', pick(['1', '-1', '0', 'var(--order, 2)', ''])],
      ['flexDirection', pick(['row-reverse', 'column-reverse', 'column', ''])],
      ['transform', pick(['translateY(40px)', 'translateY(-90px)', ''])],
      ['top', pick(['0', '30px', '200px', ''])],
      ['float', 'left'],
      ['opacity', pick(['0', '1'])],
      ['clip-path', pick(['inset(50%)', ''])],
      ['transform', pick(['scale(0)', ''])],
      ['overflow', pick(['hidden', 'clip', ''])],
      ['height', pick(['0', '1px', ''])],
      ['left', pick(['-9999px', ''])],
      ['font-size', pick(['0', ''])],
      ['text-decoration', 'line-through'],
      ['text-transform', pick(['uppercase', ''])],
      ['vertical-align', 'super'],
      ['font-family', pick(['"Some Icons"', ''])],
      ['pointer-events', pick(['none', ''])],
    ]);
  const kebab = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

  /**
   * A rule of any depth that `fits`, as arguments of `rule`. Those of `:hover` stay as they are: one that moves what is
   * under the mouse makes the page flicker by itself, as the element is hovered and not hovered in turn, frame by
   * frame.
   */
  function anyRule(fits) {
    const found = [];
    const collect = (rules, path) =>
      [...rules].forEach((rule, i) => {
        if (rule.selectorText?.includes(':hover')) return;
        if (fits(rule)) found.push([...path, i]);
        if (rule.cssRules) collect(rule.cssRules, [...path, i]);
      });
    [...document.styleSheets, ...document.adoptedStyleSheets].forEach((sheet, i) => collect(sheet.cssRules, [i]));
    return pick(found);
  }
  const sheetCount = () => document.styleSheets.length + document.adoptedStyleSheets.length;
  const anySheet = () => Math.floor(random() * sheetCount());
  const toggled = (element, attribute) => `${element}.toggleAttribute(${q(attribute)})`;

  // Takes away what lets nothing be kept, for as long as it is there.
  function calm() {
    const at = [...document.styleSheets, ...document.adoptedStyleSheets].findIndex((sheet) =>
      RARE.test([...sheet.cssRules].map((each) => each.cssText).join()),
    );
    const rule = at < 0 ? -1 : [...tools.sheet(at).cssRules].findIndex((each) => RARE.test(each.cssText));
    const others =
      'document.querySelectorAll("[aria-owns]").forEach((it) => it.removeAttribute("aria-owns")), document.querySelectorAll("set, animate, [aria-modal]").forEach((it) => (it.ariaModal = null, it.matches("set, animate") && it.remove())), document.querySelector("base")?.remove(), values.animation?.cancel()';
    return rule < 0 ? others : `${others}, sheet(${at}).deleteRule(${rule})`;
  }
  const RARE = /@container|counter|@keyframes|transition|@starting|:dir|:state|@scope/;

  /** Each thinks of a line: [kinds it belongs to], what writes it. */
  const CHANGES = {
    text: () => `text(${leaf()}, ${q(word())})`,
    emptyText: () => `text(${leaf()}, ${q(pick(['', ' ']))})`,
    splitText: () => `${leaf()}.firstChild?.splitText?.(1)`,
    comment: () => `${any()}.prepend(new Comment(${q(word())}))`,
    normalize: () => `${any()}.normalize()`,
    attribute: () => `${any()}.setAttribute(${attributes().map(q).join(', ')})`,
    noAttribute() {
      const found = pick(usual().filter((each) => each.attributes.length));
      return `${ref(found)}.removeAttribute(${q(pick(found.getAttributeNames()))})`;
    },
    class: () => `${any()}.classList.toggle(${q(pick(CLASSES))})`,
    style: () => {
      const [name, value] = DECLARED();
      return `${any()}.style.setProperty(${q(kebab(name))}, ${q(value)})`;
    },
    insert: () =>
      `put(${serial}, ${any()}, ${q(pick(['beforebegin', 'afterbegin', 'beforeend', 'afterend']))}, ${q(markup())})`,
    contents: () => `fill(${serial}, ${small()}, ${q(markup() + markup())})`,
    rebuilt: () => `rebuilt(${serial}, ${small()})`,
    remove: () => `${small()}.remove()`,
    back: () => `${any()}.after(${ref(pick(gone()))})`,
    move() {
      const [what, where] = [small(), any()];
      return `${where}.${pick(['append', 'before', 'after', 'prepend'])}(${what})`;
    },
    swap: () => `{ const it = ${small()}; it.nextElementSibling?.after(it) }`,
    filler: () =>
      document.querySelector('main > ol') && random() < 0.3
        ? 'values.filler = document.querySelector("main > ol"), values.filler.remove()'
        : 'document.querySelector("main").prepend(values.filler)',
    fillerMoves: () =>
      `document.querySelector("main").${pick(['append', 'prepend'])}(document.querySelector("main > ol") ?? values.filler)`,
    paragraphs: () =>
      `put(${serial}, document.querySelector("main"), "afterbegin", ${q(`<p>${word()}</p><p>${word()}</p>`)})`,
    value: () => `${one('input:not([type=checkbox], [type=radio], [type=file]), textarea')}.value = ${q(word())}`,
    check: () =>
      `${one('[type=checkbox], [type=radio]')}.${pick(['checked = true', 'checked = false', 'indeterminate = true', 'click()'])}`,
    choose: () => `${one('select')}.selectedIndex = ${pick([0, 1])}`,
    option: () => `put(${serial}, ${one('select')}, "beforeend", ${q(`<option>${word()}`)})`,
    selected: () => `${one('option')}.selected = true`,
    focus: () => `${one('a[href], button, input, [tabindex], select, textarea, [contenteditable]')}.focus()`,
    blur: () => 'document.activeElement.blur()',
    label: () => `${one('label')}.append(${q(word())})`,
    progress: () => `${one('progress, meter')}.value = ${pick([1, 2, 3])}`,
    details: () => toggled(one('details'), 'open'),
    dialog: () => pick([(it) => `${it}.close()`, (it) => `${it}.show()`, (it) => `${it}.showModal()`])(one('dialog')),
    popover: () => `${one('[popover]')}.${pick(['togglePopover()', 'showPopover()', 'hidePopover()'])}`,
    inPopover: () => `text(${one('[popover] *')}, ${q(word())})`,
    hide: () => `${any()}.hidden = ${pick(['true', 'false', '"until-found"'])}`,
    disable: () => toggled(one('fieldset, button, input, select, option'), 'disabled'),
    hiddenAria: () => `${any()}.ariaHidden = ${pick(['"true"', 'null'])}`,
    checkedAria: () => `${any()}.ariaChecked = ${pick(['"true"', '"false"', 'null'])}`,
    labelledBy: () => `${any()}.ariaLabelledByElements = [${any()}]`,
    describedBy: () => `${one('[tabindex], button, input')}.ariaDescribedByElements = [${any()}]`,
    ownedBy: () => `${any()}.setAttribute("aria-owns", "named")`,
    editable: () => `${any()}.contentEditable = ${pick(['"true"', '"false"', '"inherit"', '"plaintext-only"'])}`,
    shadow: () =>
      `{ const it = ${one('#host, section, h2, div, nav, p, x-own')}; values[${q(serial)}] = it.attachShadow({ mode: "open" }); fill(${serial}, it.shadowRoot, ${q(`<b>${word()}</b><slot></slot><button>${word()}</button>`)}) }`,
    inShadow: () => `${ref(pick(inShadow()))}.append(${q(word())})`,
    shadowMarkup: () => `put(${serial}, ${ref(pick(inShadow()))}, "beforeend", ${q(markup())})`,
    shadowStyle: () => `${ref(pick(inShadow()))}.getRootNode().adoptedStyleSheets.push(adopted(${q(RULES())}))`,
    shadowRule: () =>
      `${ref(pick(inShadow()))}.getRootNode().adoptedStyleSheets[0].insertRule(${q(`b { display: ${pick(['none', 'block'])} }`)})`,
    shadowRuleStyle: () =>
      `${ref(pick(inShadow()))}.getRootNode().adoptedStyleSheets[0].cssRules[0].style.setProperty("display", ${q(SHOWN())})`,
    slot: () =>
      `{ const it = ${ref(pick(inShadow()))}.getRootNode().querySelector("slot"); it.name = it.name ? "" : "s" }`,
    frame: () => `put(${serial}, ${any()}, "afterend", ${q(`<iframe title=${word()}></iframe>`)})`,
    frameOf: () => `loads(${ref(pick(all('iframe')))}, ${q(`<p>${word()}</p>${markup()}`)})`,
    inFrame: () => `${ref(inFrame())}.contentDocument.body.insertAdjacentHTML("beforeend", ${q(markup())})`,
    frameText: () => `${ref(inFrame())}.contentDocument.body.prepend(${q(word())})`,
    frameStyle: () =>
      `${ref(inFrame())}.contentDocument.head.insertAdjacentHTML("beforeend", ${q(`<style>${RULES()}</style>`)})`,
    lessFrame: () => `${one('iframe')}.remove()`,
    intoFrame: () => `${ref(inFrame())}.contentDocument.body.append(${small()})`,
    sheet: () => `put(${serial}, document.head, "beforeend", ${q(`<style>${anyRules()} ${anyRules()}</style>`)})`,
    sheetText: () =>
      `document.querySelectorAll("style")[${Math.floor(random() * document.querySelectorAll('style').length)}].append(${q(RULES())})`,
    lessSheet: () => '[...document.head.querySelectorAll("style")].at(-1).remove()',
    sheetMoves: () => 'document.head.prepend([...document.querySelectorAll("style")].at(-1))',
    sheetMedia: () =>
      `document.querySelectorAll("style")[${Math.floor(random() * document.querySelectorAll('style').length)}].media = ${q(pick(['all', 'print', '(max-width: 1px)']))}`,
    disableSheet: () => `{ const it = sheet(${anySheet()}); it.disabled = !it.disabled }`,
    insertRule() {
      const at = anySheet();
      return `sheet(${at}).insertRule(${q(anyRules())}, ${Math.floor(random() * (1 + tools.sheet(at).cssRules.length))})`;
    },
    deleteRule() {
      const at = anySheet();
      return `sheet(${at}).deleteRule(${Math.floor(random() * tools.sheet(at).cssRules.length)})`;
    },
    otherRule() {
      const at = anySheet();
      const index = Math.floor(random() * tools.sheet(at).cssRules.length);
      return `sheet(${at}).deleteRule(${index}), sheet(${at}).insertRule(${q(RULES())}, ${index})`;
    },
    ruleStyle() {
      const [name, value] = DECLARED();
      return `rule(${anyRule((each) => each.style)}).style.setProperty(${q(kebab(name))}, ${q(value)})`;
    },
    lessRuleStyle: () => `{ const it = rule(${anyRule((each) => each.style)}).style; it.removeProperty(it[0]) }`,
    ruleText: () =>
      `rule(${anyRule((each) => each.style)}).style.cssText = ${q(pick(['display: none', 'display: var(--shown)', 'color: red', '--shown: none', 'content: "changed "']))}`,
    selector: () =>
      `rule(${anyRule((each) => each.selectorText)}).selectorText = ${q(pick(['p', 'b', '.star + *', 'h3', ...CLASSES.map((each) => `.${each}`)]))}`,
    innerRule: () => `rule(${anyRule((each) => each.insertRule)}).insertRule(${q(RULES())}, 0)`,
    lessInnerRule: () => `rule(${anyRule((each) => each.insertRule && each.cssRules.length)}).deleteRule(0)`,
    ruleMedia: () =>
      `rule(${anyRule((each) => each instanceof CSSMediaRule)}).media.mediaText = ${q(pick(['all', 'print', '(min-width: 1px)']))}`,
    adopt: () => `document.adoptedStyleSheets.push(adopted(${q(anyRules())}))`,
    unadopt: () => 'document.adoptedStyleSheets.pop()',
    replaceSync: () => `document.adoptedStyleSheets[0].replaceSync(${q(anyRules())})`,
    adoptAgain: () => 'document.adoptedStyleSheets = [...document.adoptedStyleSheets].reverse()',
    register: () =>
      `CSS.registerProperty({ name: ${q(pick(['--shown', '--other', '--mode', '--shown-text']))}, syntax: "*", inherits: ${pick(['true', 'false'])}, initialValue: ${q(pick(['none', 'block']))} })`,
    variable: () =>
      `document.documentElement.style.setProperty(${q(pick(['--shown', '--other', '--mode', '--shown-text']))}, ${q(pick(['none', 'block', '"said"', 'on']))})`,
    language: () => `document.documentElement.lang = ${q(pick(['de', 'en', '']))}`,
    contentLanguage: () =>
      pick([
        `put(${serial}, document.head, "beforeend", ${q(`<meta http-equiv=content-language content=${pick(['de', 'en'])}>`)})`,
        `document.querySelector("meta[http-equiv]").content = ${q(pick(['de', 'en']))}`,
        'document.querySelector("meta[http-equiv]").remove()',
      ]),
    caption: () => `${one('caption')}.setAttribute("aria-labelledby", ${q(pick(['named', 'help', 'name']))})`,
    namer: () => `text(document.getElementById(${q(pick(['named', 'help']))}), ${q(word())})`,
    cell: () => `put(${serial}, ${one('tr')}, "beforeend", ${q(`<${pick(['th', 'td'])}>${word()}`)})`,
    row: () => `${one('table')}.insertRow(0).insertAdjacentHTML("beforeend", "<th>head")`,
    lessRows: () => `${one('table')}.deleteRow(0)`,
    item: () =>
      `put(${serial}, ${one('ul, ol, menu')}, ${q(pick(['afterbegin', 'beforeend']))}, ${q(`<li>${word()}</li>`)})`,
    drawn: () => `put(${serial}, ${one('svg, svg g')}, ${q(pick(['afterbegin', 'beforeend']))}, ${q(part())})`,
    drawnText: () => `text(${one('svg text, svg tspan, svg title, svg desc')}, ${q(word())})`,
    drawnAttribute: () =>
      `${one('svg, svg *')}.setAttribute(${pick([
        ['visibility', pick(['hidden', 'visible'])],
        ['display', pick(['none', 'inline'])],
        ['width', pick(['0', '5', '60'])],
        ['height', pick(['0', '60'])],
        ['transform', `translate(${pick(['0', '200'])})`],
        ['fill', pick(['none', 'red'])],
        ['cursor', pick(['pointer', 'auto'])],
        ['id', pick(['r1', word()])],
        ['href', pick(['#r1', '#r2'])],
        ['opacity', pick(['0', '1'])],
        ['pointer-events', 'none'],
        ['x', '50'],
        ['aria-label', word()],
        ['role', pick(['img', 'button', 'none'])],
        ['class', pick(CLASSES)],
        ['viewBox', '0 0 9 9'],
        ['aria-hidden', 'true'],
        ['tabindex', '0'],
      ])
        .map(q)
        .join(', ')})`,
    lessDrawn: () => `${one('svg *')}.remove()`,
    drawnInto: () => `${one('svg, svg g')}.append(${one('svg *')})`,
    symbol: () => `{ const it = ${one('svg use, svg a')}; it.href.baseVal = ${q(pick(['#r1', '#r2', `#${word()}`]))} }`,
    smil: () => `put(${serial}, ${one('svg *')}, "beforeend", ${q(animated())})`,
    lessSmil: () => 'document.querySelectorAll("svg :is(set, animate)").forEach((it) => it.remove())',
    caret: () =>
      `{ const it = ${one('[contenteditable], [contenteditable] *')}; getSelection().collapse(it, ${pick(['0', 'it.childNodes.length'])}) }`,
    selectText: () =>
      `{ const it = ${one('[contenteditable], [contenteditable] *, p')}; getSelection().selectAllChildren(it) }`,
    selectAcross: () => `getSelection().setBaseAndExtent(${any()}, 0, ${any()}, 0)`,
    noSelection: () => 'getSelection().removeAllRanges()',
    editorFocus: () => `${one('[contenteditable]')}.focus()`,
    typed: () => `document.execCommand("insertText", false, ${q(word())})`,
    edited: () =>
      `document.execCommand(${q(pick(['bold', 'italic', 'insertUnorderedList', 'insertParagraph', 'undo', 'delete', 'selectAll', 'removeFormat', 'insertLineBreak', 'strikeThrough']))})`,
    inField: () =>
      `{ const it = ${one('textarea, input:not([type=checkbox], [type=radio], [type=button])')}; it.focus(); it.setSelectionRange(${pick(['0, 0', '0, 2', '1, 1'])}) }`,
    designMode: () => `document.designMode = ${q(pick(['on', 'off', 'off', 'off']))}`,
    editorLine: () =>
      `put(${serial}, ${one('.cm-content, [contenteditable]')}, "beforeend", ${q(`<div class=cm-line>${word()}</div>`)})`,
    modal: () =>
      `{ const it = ${one('[role=dialog], [role=alertdialog], dialog, section, div')}; ${pick(['it.setAttribute("role", "dialog"), it.setAttribute("aria-modal", "true")', 'it.removeAttribute("aria-modal")', 'it.ariaModal = "false"', 'it.hidden = !it.hidden'])} }`,
    noModal: () => 'document.querySelectorAll("[aria-modal]").forEach((it) => it.removeAttribute("aria-modal"))',
    tooltip: () => `${any()}.title = ${q(pick([word(), '', 't1', 'Permalink']))}`,
    icon: () => `text(${one('i, .star, [class] b')}, ${q(pick(['\ue001', 'home', word(), '']))})`,
    onclick: () => `${any()}.onclick = ${pick(['null', '() => 0'])}`,
    hover: () => `mouse ${Math.floor(random() * 800)} ${Math.floor(random() * 600)}`,
    scroll: () =>
      `${pick([one('.scrolls, div'), 'document.documentElement'])}.scrollTop = ${Math.floor(random() * 400)}`,
    body: () => 'document.body.classList.toggle("open")',
    address: () => `history.replaceState(null, "", ${q(`#${word()}`)})`,
    animation: () =>
      `values.animation?.cancel(), values.animation = ${any()}.animate({ visibility: ["hidden", "hidden"] }, 1e7)`,
    calm,
    base: () => `put(${serial}, document.head, "beforeend", "<base href=/elsewhere/>")`,
    closed: () =>
      `{ const it = ${one('#host, section, h2, div, nav, p, span, x-own')}; values[${q(serial)}] = it.attachShadow({ mode: "closed" }); fill(${serial}, values[${q(serial)}], ${q(`<b>${word()}</b><slot></slot><button>${word()}</button>`)}) }`,
    inClosed: () => `${ref(pick(inShadow()))}.append(${q(word())})`,
    internals: () =>
      `internalsOf(${one('x-own, x-later')}).${pick(['role', 'ariaLabel', 'ariaChecked', 'ariaExpanded', 'ariaDescription'])} = ${q(pick(['button', 'checkbox', 'true', 'false', 'img', word()]))}`,
    internalState: () => `internalsOf(${one('x-own, x-later')}).states.${pick(['add', 'delete'])}("on")`,
    later: () => `put(${serial}, ${any()}, "afterend", ${q(`<x-later>${word()}</x-later><x-own></x-own>`)})`,
    define: () =>
      `customElements.define(${q(pick(['x-own', 'x-later']))}, class extends HTMLElement { constructor() { super(); internalsOf(this).role = ${q(pick(['button', 'checkbox', 'heading']))} } })`,
    listen: () => `${any()}.addEventListener("click", (values.listener ??= () => 0))`,
    unlisten: () => `${any()}.removeEventListener("click", (values.listener ??= () => 0))`,
    inShadowListen: () => `${ref(pick(inShadow()))}.addEventListener("click", () => 0)`,
    reset: () => `${one('form')}.reset()`,
    moveBefore: () => `${one('main, section, div, ul, details, [popover]')}.moveBefore(${small()}, null)`,
    splitText: () => `${leaf()}.firstChild.splitText(1)`,
    normalize: () => `${any()}.normalize()`,
    validity: () => `${one('input, select, textarea')}.setCustomValidity(${q(pick(['', word()]))})`,
    target: () => `location.hash = ${q(pick(['named', 'help', 'name', 'none']))}`,
    manualSlot: () =>
      `{ const it = ${one('#host, section, h2, div, nav, p, x-own')}; const root = it.attachShadow({ mode: ${q(pick(['open', 'closed']))}, slotAssignment: "manual" }); fill(${serial}, root, ${q(`<b>${word()}</b><slot></slot>`)}); values["slot"] = root.querySelector("slot") }`,
    assign: () =>
      `values["slot"].assign(...[...values["slot"].getRootNode().host.childNodes].slice(${pick(['0', '1', '2'])}))`,
    rowCount: () => `${one('table, [role=grid]')}.setAttribute("aria-rowcount", ${q(pick(['-1', '9', '200', '']))})`,
    unsafe: () =>
      `${leaf()}.setHTMLUnsafe(${q(`<${pick(['div', 'p', 'section'])}><template shadowrootmode=${pick(['open', 'closed'])}><slot></slot><button>${word()}</button></template>${word()}</div>`)})`,
    picture: () =>
      `${one('img')}.${pick(['alt = ""', `alt = ${q(word())}`, 'removeAttribute("alt")', 'src = "/none.png"', 'src = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="'])}`,
    nothing: () => '0',
  };
  /** What only Chrome tells, see `--without`. */
  const KINDS = {
    closed: ['closed', 'inClosed'],
    internals: ['internals', 'internalState', 'later', 'define'],
    listeners: ['listen', 'unlisten', 'inShadowListen', 'onclick'],
    hover: ['hover'],
  };
  const OFTEN = [
    'text',
    'attribute',
    'insert',
    'remove',
    'class',
    'style',
    'move',
    'popover',
    'back',
    'rebuilt',
    'calm',
  ];

  /** mulberry32 */
  const seeded = (seed) => () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };

  async function run(line) {
    new Function(...Object.keys(tools), `"use strict"; ${line}`)(...Object.values(tools));
    const all = Promise.all([...loading.splice(0), ...[...document.querySelectorAll('iframe')].map(loaded)]);
    await Promise.race([all, new Promise((done) => setTimeout(done, LONGEST_LOADING))]);
  }

  const LONGEST_LOADING = 1000; // ms: some never do, such as one that was taken away meanwhile

  /** Wherever it was put, a frame loads anew. */
  async function loaded(frame) {
    const began = Date.now();
    while (
      Date.now() - began < LONGEST_LOADING &&
      frame.isConnected &&
      frame.srcdoc &&
      !(frame.contentDocument?.URL === 'about:srcdoc' && frame.contentDocument.readyState === 'complete')
    ) {
      await new Promise((done) => setTimeout(done, 5));
    }
  }

  window.fuzz = {
    /** Makes up a change and makes it; the line, "" where it could not be made. */
    async next(seed, step, without) {
      random = seeded(seed * 100003 + step);
      serial = step;
      const left = new Set(without.flatMap((kind) => KINDS[kind]));
      const kinds = random() < 0.45 ? OFTEN : Object.keys(CHANGES);
      const kind = pick(kinds.filter((each) => !left.has(each)));
      let line = '';
      try {
        line = CHANGES[kind]();
      } catch {
        return ''; // there is nothing that it could be done to
      }
      if (!line.startsWith('mouse ')) await this.run(line);
      return line;
    },
    /** Makes the change of a line, where it can be made. */
    async run(line) {
      try {
        await run(line);
        return true;
      } catch {
        return false;
      }
    },
  };
  nameAll(document.documentElement, 'p');
})();
