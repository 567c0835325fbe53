'use strict';

/**
 * An element. What pages sent gets into it as text, never as markup.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag @param {Record<string, any>} [has] @param {...any} inside
 */
function h(tag, has = {}, ...inside) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(has)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'style') Object.assign(element.style, value);
    else if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'class') element.className = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(
    ...inside.flat(Infinity).filter((each) => each !== null && each !== undefined && each !== false && each !== ''),
  );
  return element;
}

/** The elements that a selector means. @param {string} selector @param {ParentNode} [within] */
const elements = (selector, within = document) => /** @type {HTMLElement[]} */ ([...within.querySelectorAll(selector)]);

const svg = (tag, has, ...inside) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(has)) element.setAttribute(name, value);
  element.append(...inside);
  return element;
};

/** Text whose lines that begin with +, - or ~ are what changed. @param {string[]} lines @param {string} kind */
function changes(lines, kind = 'diff') {
  const tones = { '+': 'add', '-': 'del', '~': 'mod' };
  return h(
    'pre',
    { class: kind },
    lines.map((line, at) => {
      const tone = tones[/^([+~-]) /.exec(line)?.[1]];
      if (tone) return h('span', { class: tone }, line);
      return at < lines.length - 1 && !/^[+~-] /.test(lines[at + 1]) ? `${line}\n` : line;
    }),
  );
}

/** What came of a call: a receipt, in which what changed follows the line "changed:". @param {string} text */
function receipt(text) {
  const lines = text.split('\n');
  return lines.some((each) => each === 'changed:') || lines.filter((each) => /^[+~-] - /.test(each)).length
    ? changes(
        lines.map((each) => each.replace(/^ {2}(?=[+~-] )/, '')),
        '',
      )
    : h('pre', {}, text);
}

/** Text with what stands between ** in bold. @param {string} text */
const strong = (text) => text.split(/\*\*([^*\n]+)\*\*/).map((each, at) => (at % 2 ? h('strong', {}, each) : each));

const folded = (summary, bad, inside, open = false) =>
  h('details', { open, 'data-search': true }, h('summary', {}, summary, bad ? h('b', {}, ` · ${bad}`) : ''), inside);

class RunView {
  /**
   * @param {Run} run
   * @param {string} key
   * @param {{live: boolean, pair: boolean, answer?: (ask: any, decision: any) => Promise<string|null>}} how
   */
  constructor(run, key, how) {
    this.run = run;
    this.key = key;
    this.how = how;
    this.live = how.live;
    this.list = h('div', { class: 'list' });
    /** @type {Map<Part, HTMLElement>} */
    this.shown = new Map();
    /** @type {Map<number, HTMLElement>} */
    this.drafts = new Map();
  }

  get name() {
    const [first, ...rest] = this.given;
    return rest.length ? `${first} … and ${rest.length} more steps` : first || this.run.name;
  }

  /** The task; where it is steps, each of them. */
  get given() {
    const lines = (this.run.setup?.task ?? '').trim().split('\n');
    return lines.length === this.run.planned?.steps?.length ? lines : [lines.join(' ')];
  }

  /** The head of one run: what it was for, how it stands, what it took. */
  head() {
    const { run, how } = this,
      { setup, result } = run;
    const [words, tone] = standing(run, how.live);
    const began = run.began
      ? new Date(run.began * 1000).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'medium' })
      : '';
    const model = setup?.model ? `${setup.provider}/${setup.model}` : setup ? 'no model' : '';
    return h(
      'div',
      { class: 'head' },
      h(
        'div',
        { class: 'meta' },
        h('span', { class: `badge ${tone}`, role: 'status' }, words),
        h('span', {}, model),
        h('span', {}, began),
        setup?.url ? h('span', {}, setup.url) : '',
        setup?.browser ? h('span', {}, setup.browser) : '',
      ),
      h('h1', {}, this.name),
      this.facts(),
      this.answer(result),
    );
  }

  facts() {
    const { steps, actions, seconds, tokens, cost, errors } = this.totals();
    const fact = (name, value, more) =>
      h('div', {}, h('dt', {}, name), h('dd', {}, value, more ? h('small', {}, more) : ''));
    return h(
      'dl',
      { class: 'facts' },
      fact('Steps', count(steps), `${count(actions)} actions`),
      fact('Time', time(seconds)),
      fact('Tokens', count(tokens.input + tokens.output), `${count(tokens.cached)} from cache`),
      fact(
        'Cost',
        cost === null ? '–' : money(cost),
        cost !== null ? '' : this.run.setup?.model ? 'price not known' : 'no model was asked',
      ),
      fact('Errors', count(errors)),
    );
  }

  totals() {
    const { run } = this,
      stats = run.result?.stats;
    const each = [run.beginning, ...run.steps].map(spent);
    const sum = (name) => each.reduce((total, one) => total + one[name], 0);
    const costs = each.map((one) => one.cost).filter((one) => one !== null);
    return {
      steps: stats?.steps ?? run.steps.length,
      actions: stats?.actions ?? run.steps.flatMap((one) => one.calls).length,
      seconds: stats?.duration_s ?? run.ended - run.began,
      tokens: stats
        ? { input: stats.input_tokens, output: stats.output_tokens, cached: stats.cached_tokens }
        : { input: sum('input'), output: sum('output'), cached: sum('cached') },
      cost: stats ? stats.cost : costs.length ? costs.reduce((total, one) => total + one, 0) : null,
      errors: stats?.errors ?? run.steps.flatMap((one) => one.calls).filter((one) => one.success === false).length,
    };
  }

  answer(result) {
    if (!result) return '';
    const answer = result.answer === null || result.answer === undefined ? '' : plain(result.answer);
    if (result.success && !answer) return '';
    const by = { verified: ' · by code', unconfirmed: ' · not confirmed', forced: ' · not accepted' };
    const judged = by[result.validation] ?? '';
    return h(
      'section',
      { class: `answer ${result.success ? '' : 'bad'}` },
      h('h2', {}, result.success ? `Answer${judged}` : `Not done: ${result.error?.code ?? ''}${judged}`),
      strong([result.error?.message, answer].filter(Boolean).join('\n\n')),
    );
  }

  /** When each step was, and what it cost until then. */
  timeline() {
    const { run } = this;
    const parts = [run.beginning, ...run.steps].filter((each) => each.ended > each.began || each.number);
    if (!parts.length) return '';
    const spents = parts.map(spent);
    const priced = spents.some((each) => each.cost !== null);
    let sum = 0;
    const sums = spents.map((each) => (sum += priced ? (each.cost ?? 0) : each.input + each.output));
    const all = parts.reduce((total, each) => total + Math.max(each.ended - each.began, 0.02), 0);
    let at = 0;
    const points = parts.map((each, index) => {
      at += Math.max(each.ended - each.began, 0.02) / all;
      return `${(at * 100).toFixed(2)},${(30 - (sum ? sums[index] / sum : 0) * 27).toFixed(2)}`;
    });
    const total = priced ? money(sum) : `${count(sum)} tokens`;
    const line = svg(
      'svg',
      {
        class: 'curve',
        viewBox: '0 0 100 31',
        preserveAspectRatio: 'none',
        role: 'img',
        'aria-label': `It adds up to ${total}`,
      },
      svg('polygon', { points: `0,31 0,30 ${points.join(' ')} 100,31` }),
      svg('polyline', { points: `0,30 ${points.join(' ')}` }),
    );
    return h(
      'section',
      { class: 'time', 'aria-label': 'Time line' },
      h(
        'div',
        { class: 'title' },
        h('h2', {}, 'Time line'),
        h('span', { class: 'key model' }, 'model'),
        h('span', { class: 'key act' }, 'browser'),
        h('span', { class: 'key cost' }, priced ? 'cost, added up' : 'tokens, added up'),
      ),
      h(
        'ol',
        { class: 'track' },
        parts.map((part) => this.segment(part)),
      ),
      sum ? line : '',
      h(
        'div',
        { class: 'scale' },
        h('span', {}, '0 s'),
        h('span', {}, time(run.ended - run.began)),
        h('span', {}, sum ? total : ''),
      ),
    );
  }

  segment(part) {
    const seconds = Math.max(part.ended - part.began, 0.02);
    const share = Math.min(1, modelSeconds(part) / seconds) * 100;
    const name = part.number ? `Step ${part.number}` : 'Beginning';
    const about = `${name}: ${part.number ? titleOf(part) : 'the plan'}, ${time(seconds)}`;
    return h(
      'li',
      { class: isBad(part) ? 'bad' : '', style: { flex: `${seconds} 1 0` } },
      h(
        'a',
        { href: `#${this.id(part)}`, title: about, 'aria-label': about, 'data-part': this.id(part) },
        h('i', { class: 'm', 'aria-hidden': 'true', style: { width: `${share}%` } }),
        h('i', { class: 'a', 'aria-hidden': 'true', style: { width: `${100 - share}%` } }),
        h('b', { 'aria-hidden': 'true' }, part.number || ''),
      ),
    );
  }

  /** The list of steps beside them. */
  index() {
    return h(
      'nav',
      { class: 'steps', 'aria-label': 'Steps' },
      h('h2', {}, 'Steps'),
      h(
        'ol',
        {},
        this.run.steps.map((part) =>
          h(
            'li',
            {},
            h(
              'a',
              { href: `#${this.id(part)}`, 'data-part': this.id(part), class: isBad(part) ? 'bad' : '' },
              h('b', {}, part.number),
              h('span', {}, titleOf(part)),
              h('small', {}, this.took(part)),
            ),
          ),
        ),
      ),
    );
  }

  took(part) {
    const { cost, input, output } = spent(part);
    return [time(part.ended - part.began), cost !== null ? money(cost) : input ? `${count(input + output)} tokens` : '']
      .filter(Boolean)
      .join(' · ');
  }

  id(part) {
    return `${this.key}${part.number}`;
  }

  /** All cards, anew; of those that are shown already, only what changed. @param {Set<Part>} [changed] */
  render(changed) {
    const parts = [this.run.beginning, ...this.run.steps];
    for (const part of parts) {
      if (changed && !changed.has(part) && this.shown.has(part)) continue;
      const before = this.shown.get(part);
      const card = part.number ? this.step(part) : this.beginning(part);
      if (before) {
        const open = [...before.querySelectorAll('details')].map((each) => each.open);
        card.querySelectorAll('details').forEach((each, at) => {
          each.open = open[at] ?? each.open;
        });
        before.replaceWith(card);
      } else this.list.append(card);
      this.shown.set(part, card);
    }
    this.list.querySelector(':scope > .verdict')?.remove();
    const verdict = this.verdict();
    if (verdict) this.list.append(verdict);
  }

  /** The task's plan, and all else that came before the first step. @param {Part} part */
  beginning(part) {
    const { plan, planned } = this.run;
    const items = planned?.steps?.length ? planned.steps : plan?.action_items;
    const none =
      !plan && !planned && !part.questions.length && !part.notes.length && !part.asked.length && !part.network.length;
    return h(
      'section',
      { class: 'card plan', id: this.id(part), 'data-card': true, hidden: none, 'aria-label': 'Beginning' },
      h('h3', {}, 'Plan'),
      plan?.success_criteria ? h('p', {}, plan.success_criteria) : '',
      planned?.message ? h('p', {}, planned.message) : '',
      items?.length
        ? h(
            'ol',
            {},
            items.map((each) => h('li', {}, each)),
          )
        : plan
          ? h('p', {}, plan.plan)
          : '',
      plan && items?.length ? folded('The plan in full', '', h('p', {}, plan.plan)) : '',
      h(
        'div',
        { class: 'told', style: { padding: '12px 0 0' } },
        part.questions.map((each) => this.question(each)),
        part.notes.map(noteOf),
        this.more(part),
      ),
    );
  }

  /** @param {Part} part */
  step(part) {
    const picture = part.picture && this.source(part.picture.file) ? this.picture(part) : '';
    const { resolved, outcome } = part;
    const by = resolved
      ? `understood by ${resolved.by === 'code' ? 'code' : 'a model'}: ${resolved.tool} ${resolved.about}`.trim()
      : '';
    const saw = part.saw.filter((each) => each.snapshot || each.changed?.length);
    return h(
      'article',
      {
        class: `step ${isBad(part) ? 'bad' : ''}`,
        id: this.id(part),
        tabindex: '-1',
        'data-card': true,
        'aria-label': `Step ${part.number}: ${titleOf(part)}`,
      },
      h(
        'header',
        {},
        h('span', { class: 'n', 'aria-hidden': 'true' }, part.number),
        h('h2', {}, titleOf(part)),
        h('p', {}, this.took(part)),
      ),
      h(
        'div',
        { class: `body ${picture ? '' : 'plain'}` },
        picture,
        h(
          'div',
          { class: 'told' },
          saw.length
            ? h(
                'section',
                {},
                h('h3', {}, 'Saw'),
                saw.map((each) => this.saw(each)),
              )
            : '',
          part.said.length
            ? h(
                'section',
                {},
                h('h3', {}, 'Said'),
                part.said.map((each) => h('p', { class: 'said' }, each)),
              )
            : '',
          by
            ? h(
                'p',
                { class: 'note plain' },
                by,
                resolved.risks?.length ? ` · it ${resolved.risks.join(', ')}` : '',
                resolved.by === 'model' && resolved.why ? ` · ${resolved.why}` : '',
              )
            : '',
          part.questions.map((each) => this.question(each)),
          part.calls.length ? h('section', {}, h('h3', {}, 'Did, and what came of it'), part.calls.map(callOf)) : '',
          outcome?.type === 'steps:failed'
            ? h('p', { class: 'note bad' }, [outcome.error, ...(outcome.candidates ?? [])].join('\n'))
            : '',
          outcome?.type === 'steps:skipped' ? h('p', { class: 'note plain' }, 'Left out, as decided.') : '',
          part.notes.map(noteOf),
          this.more(part),
        ),
      ),
    );
  }

  saw(line) {
    if (line.changed?.length) return h('div', {}, changes(line.changed));
    const lines = line.snapshot.split('\n').length;
    return folded(
      `${line.title || line.url}: the page, ${count(lines)} lines`,
      '',
      h('pre', { class: 'view' }, line.snapshot),
    );
  }

  /** The window as it was, and where an element came into view only when it was acted on, as it was afterwards. */
  picture(part) {
    const later = part.targets.find((each) => each.boxes.length && each.picture !== part.picture.number);
    const after = later && this.run.steps.map((each) => each.picture).find((each) => each?.number === later.picture);
    return h('figure', {}, this.shot(part, part.picture, ''), after ? this.shot(part, after, 'afterwards · ') : '');
  }

  shot(part, line, when) {
    const source = this.source(line.file);
    if (!source) return '';
    const boxes = part.targets.filter((each) => each.picture === line.number);
    const names = boxes.map((each) => `${each.tool} ${each.ref}`);
    const unseen = boxes.filter((each) => !each.boxes.length).map((each) => `${each.tool} ${each.ref}`);
    const shot = () => [
      h('img', { src: source, alt: `The window at ${line.url}`, width: line.width, height: line.height }),
      boxes.flatMap((each) => each.boxes.map((box, at) => target(box, line, at ? '' : `${each.tool} ${each.ref}`))),
    ];
    return [
      h(
        'button',
        {
          class: 'shot',
          type: 'button',
          'aria-label': `Picture of step ${part.number}, enlarge`,
          onclick: () => enlarge(shot()),
        },
        shot(),
      ),
      h(
        'figcaption',
        {},
        when,
        line.url,
        names.length > unseen.length ? ` · marked: ${names.filter((each) => !unseen.includes(each)).join(', ')}` : '',
        unseen.length ? ` · outside of this picture: ${unseen.join(', ')}` : '',
      ),
    ];
  }

  source(file) {
    return this.run.pictures[file] ?? (this.live ? file + location.search : '');
  }

  question(question) {
    const { ask, decided } = question;
    const made = decided?.decision;
    const kind = made ? (['reject', 'stop', 'skip', 'decline'].includes(made.decision) ? 'no' : 'yes') : '';
    const who =
      { approver: 'by whom it was put to', policy: 'by a rule', timeout: 'since time was up' }[decided?.by] ?? '';
    return h(
      'section',
      { class: `ask ${kind}`, 'aria-label': 'Question' },
      h('h3', {}, ASKED[ask.type] ?? 'Asked'),
      h('p', {}, askWords(ask)),
      ask.steps
        ? h(
            'ol',
            {},
            ask.steps.map((each) => h('li', {}, each)),
          )
        : '',
      made
        ? h('p', {}, h('strong', {}, decisionWords(made)), ` ${who}${decided.why ? `: ${decided.why}` : ''}`)
        : this.how.answer
          ? answerForm(ask, this.how.answer, this.drafts)
          : h('p', {}, h('em', {}, 'Nobody has decided.')),
    );
  }

  /** What few look at: the prompts, the logs of actions, requests, the console. @param {Part} part */
  more(part) {
    const failed = part.network.filter(({ request }) => request.error || request.status >= 400);
    const errors = part.console.filter(({ message }) => message.level === 'error');
    const all = [
      ...part.asked.map((each) => this.asked(each)),
      ...part.logs.map(({ action, lines }) =>
        folded(`Log of ${action}: ${lines.length} lines`, '', h('pre', {}, lines.join('\n'))),
      ),
      part.network.length
        ? folded(
            `Network: ${part.network.length} request${part.network.length > 1 ? 's' : ''}`,
            failed.length ? `${failed.length} failed` : '',
            networkOf(part.network),
          )
        : '',
      part.console.length
        ? folded(
            `Console: ${part.console.length} message${part.console.length > 1 ? 's' : ''}`,
            errors.length ? `${errors.length} error${errors.length > 1 ? 's' : ''}` : '',
            consoleOf(part.console),
          )
        : '',
    ].filter(Boolean);
    return all.length ? h('div', { class: 'more' }, all) : '';
  }

  asked({ request, reply, failure }) {
    const usage = reply?.usage;
    const about = [
      `${request.operation}: ${request.provider}/${request.model}`,
      reply || failure ? time((reply ?? failure).duration_s) : 'no reply yet',
      usage
        ? `${count(usage.input_tokens)} in (${count(usage.cached_tokens)} cached), ${count(usage.output_tokens)} out`
        : '',
      usage?.cost ? money(usage.cost) : '',
    ];
    const detail = folded(`Prompt · ${about.filter(Boolean).join(' · ')}`, failure ? failure.kind : '', '');
    detail.addEventListener('toggle', () => {
      if (detail.open && detail.children.length === 1) detail.append(...this.messages(request, reply, failure));
    });
    return detail;
  }

  messages(request, reply, failure) {
    const before = this.previous(request);
    const fresh = request.messages.filter((each) => !before.has(each));
    const known = request.messages.length - fresh.length;
    const tools = this.run.tools.get(request.tools) ?? [];
    return [
      known ? h('p', { class: 'empty' }, `${known} messages as in the request before`) : '',
      ...fresh.map((number) => messageOf(this.run.messages.get(number), (file) => this.source(file))),
      reply
        ? h(
            'div',
            { class: 'message' },
            h('h4', {}, `reply (${reply.finish_reason})`),
            h(
              'pre',
              {},
              [
                reply.reasoning,
                reply.text,
                ...reply.tool_calls.map((each) => `${each.name} ${each.arguments}`),
                reply.refusal,
              ]
                .filter(Boolean)
                .join('\n\n'),
            ),
          )
        : '',
      failure ? h('p', { class: 'note bad' }, failure.message) : '',
      tools.length ? h('p', { class: 'empty' }, `Tools: ${tools.join(', ')}`) : '',
    ].filter(Boolean);
  }

  /** The messages of the request before this one in the same conversation. */
  previous(request) {
    const parts = [this.run.beginning, ...this.run.steps].flatMap((each) => each.asked).map((each) => each.request);
    const same = parts.filter((each) => each.number < request.number && each.messages[0] === request.messages[0]);
    return new Set(same.at(-1)?.messages ?? []);
  }

  /** What was thought of the answer, and what is not in this trace. */
  verdict() {
    const { judged, omitted } = this.run;
    if (!judged.length && !omitted.length) return null;
    return h(
      'section',
      { class: 'card verdict', 'data-card': true, 'aria-label': 'In the end' },
      judged.map((each) =>
        h(
          'div',
          {},
          h('h3', {}, each.type === 'task:validation_error' ? `Answer ${each.attempt} was not accepted` : 'Verdict'),
          h('p', {}, [each.quality, each.assessment ?? each.feedback ?? each.message].filter(Boolean).join(': ')),
          each.not_found?.length
            ? h('p', { class: 'note' }, `Not found in what was shown: ${each.not_found.join('; ')}`)
            : '',
        ),
      ),
      omitted.map((each) =>
        h(
          'p',
          { class: 'note plain' },
          `Left out of this trace: ${each.what} (${each.why})${each.count > 1 ? `, ${count(each.count)} times` : ''}.`,
        ),
      ),
    );
  }
}

const noteOf = ({ text, tone }) => h('p', { class: `note ${tone}` }, text);

function callOf(call) {
  const given = Object.entries(call.given)
    .map(([name, value]) => `${name}: ${plain(value)}`)
    .join(', ');
  const took = call.seconds >= 0.0005 ? time(call.seconds) : '';
  return h(
    'div',
    { class: `call ${call.success === false ? 'bad' : ''}` },
    h('p', {}, `${call.action} `, h('span', {}, [given, took].filter(Boolean).join('  ·  '))),
    call.text ? receipt(call.text) : call.success === null ? h('pre', {}, '…') : '',
  );
}

function target(box, picture, label) {
  const share = (value, of) => `${((value / of) * 100).toFixed(3)}%`;
  return h(
    'span',
    {
      class: `target ${box.top < picture.height * 0.06 ? 'low' : ''}`,
      style: {
        left: share(box.left, picture.width),
        top: share(box.top, picture.height),
        width: share(box.right - box.left, picture.width),
        height: share(box.bottom - box.top, picture.height),
      },
    },
    label ? h('span', {}, label) : '',
  );
}

function messageOf(message, source) {
  if (!message) return h('p', { class: 'empty' }, 'A message that is not in this trace.');
  const texts = message.parts ? message.parts.map((each) => each.text ?? '') : [message.text];
  const images = [...(message.parts ?? []), ...(message.images ?? [])].filter((each) => each.file && source(each.file));
  const calls = (message.tool_calls ?? []).map((each) => `${each.name} ${each.arguments}`);
  return h(
    'div',
    { class: 'message' },
    h('h4', {}, message.type.replace('_', ' ')),
    h('pre', {}, [...texts, ...calls].filter(Boolean).join('\n\n')),
    images.map((each) =>
      h(
        'button',
        {
          class: 'shot',
          type: 'button',
          'aria-label': 'Picture in the prompt, enlarge',
          onclick: () => enlarge([h('img', { src: source(each.file), alt: '' })]),
        },
        h('img', { src: source(each.file), alt: 'A picture that the model was given' }),
      ),
    ),
  );
}

const networkOf = (lines) =>
  h(
    'table',
    {},
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        ['Status', 'Method', 'Address', 'Kind', 'Time', 'Bytes'].map((each) => h('th', {}, each)),
      ),
    ),
    h(
      'tbody',
      {},
      lines.map(({ request }) =>
        h(
          'tr',
          { class: request.error || request.status >= 400 ? 'bad' : '' },
          h('td', { class: 'n' }, request.error ?? request.status ?? 'pending'),
          h('td', {}, request.method),
          h('td', {}, request.url),
          h('td', {}, request.kind),
          h(
            'td',
            { class: 'n' },
            request.duration_ms === null || request.duration_ms === undefined ? '' : time(request.duration_ms / 1000),
          ),
          h('td', { class: 'n' }, request.size ? count(request.size) : ''),
        ),
      ),
    ),
  );

const consoleOf = (lines) =>
  h(
    'table',
    {},
    h(
      'tbody',
      {},
      lines.map(({ message }) =>
        h(
          'tr',
          { class: message.level === 'error' ? 'bad' : '' },
          h('td', { class: 'n' }, message.uncaught ? 'uncaught' : message.level),
          h('td', {}, message.text),
          h('td', {}, message.url ? `${message.url.split('/').at(-1)}:${message.line}` : ''),
        ),
      ),
    ),
  );

const ASKED = {
  plan: 'May it carry out this plan?',
  action: 'May it do this?',
  failed: 'A step failed: what now?',
  question: 'A question',
  form: 'Please fill in',
  paused: 'Paused',
};

function askWords(ask) {
  switch (ask.type) {
    case 'plan':
      return ask.message;
    case 'question':
      return [ask.question, ...(ask.options ?? [])].join('\n');
    case 'form':
      return [ask.description, ask.origins?.length ? `For ${ask.origins.join(', ')}` : ''].filter(Boolean).join('\n');
    case 'paused':
      return `The page is yours: ${ask.url}`;
    case 'action':
      return [`${ask.number}. ${ask.step}`, ask.question].filter(Boolean).join('\n');
    default:
      return [`${ask.number}. ${ask.step}`, ask.error].join('\n');
  }
}

function decisionWords(made) {
  const words = made.text ?? made.step ?? made.why ?? made.feedback ?? '';
  const whole = made.decision[0].toUpperCase() + made.decision.slice(1);
  const said = made.for_site ? `${whole}, and all such at this site` : whole;
  return words ? `${said}: ${words}` : said;
}
