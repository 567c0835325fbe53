'use strict';
/**
 * From the lines of a trace to a run as it is shown: what came before the first step, the steps, and what came after.
 * @typedef {{type: string, timestamp: number, step: number, [name: string]: any}} Line
 * @typedef {{action: string, given: Record<string, any>, text: string, success: boolean|null, seconds: number}} Call
 * @typedef {{request: Line, reply: Line|null, failure: Line|null}} Asked
 * @typedef {{ask: any, decided: Line|null}} Question
 * @typedef {{number: number, began: number, ended: number, saw: Line[], asked: Asked[], picture: Line|null, targets:
 *   Line[], said: string[], calls: Call[], logs: Line[], notes: {text: string, tone: string}[], questions: Question[],
 *   network: Line[], console: Line[], resolved: Line|null, outcome: Line|null}} Part
 * @typedef {{name: string, setup: Line|null, plan: Line|null, steps: Part[], beginning: Part, result: any, omitted:
 *   Line[], messages: Map<number, any>, tools: Map<number, string[]>, planned: Line|null, judged: Line[], began:
 *   number, ended: number, pictures: Record<string, string>}} Run
 */

/** @returns {Part} */
function newPart(number, began) {
  return {
    number,
    began,
    ended: began,
    saw: [],
    asked: [],
    picture: null,
    targets: [],
    said: [],
    calls: [],
    logs: [],
    notes: [],
    questions: [],
    network: [],
    console: [],
    resolved: null,
    outcome: null,
  };
}

class RunReader {
  /** @param {string} name @param {Record<string, string>} pictures */
  constructor(name, pictures) {
    /** @type {Run} */
    this.run = {
      name,
      setup: null,
      plan: null,
      steps: [],
      beginning: newPart(0, 0),
      result: null,
      omitted: [],
      messages: new Map(),
      tools: new Map(),
      planned: null,
      judged: [],
      began: 0,
      ended: 0,
      pictures,
    };
    this.requests = new Map();
    this.byNumber = new Map([[0, this.run.beginning]]);
    this.now = this.run.beginning;
    this.unseen = [];
  }

  /** The part of a step; of one that has not begun, the present one. @param {number} number @returns {Part} */
  part(number) {
    return this.byNumber.get(number) ?? this.now;
  }

  /** Takes the next line in, and returns the part that it is about. @param {Line} line @returns {Part} */
  take(line) {
    const run = this.run;
    if (!run.began && line.timestamp) run.began = run.beginning.began = line.timestamp;
    let part = OF_THEIR_STEP.has(line.type) ? this.part(line.step) : this.now;
    if (line.type === 'agent:step') {
      part = newPart(line.step, line.timestamp);
      part.saw = this.unseen.splice(0);
      this.byNumber.set(line.step, part);
      run.steps.push(part);
      this.now = part;
    }
    const kind = TAKES[line.type];
    if (kind) kind(part, line, this);
    if (line.timestamp && !line.type.startsWith('network')) {
      run.ended = Math.max(run.ended, line.timestamp);
      part.ended = Math.max(part.ended, line.timestamp);
    }
    return part;
  }
}

/** Lines that may come when a later step has begun: calls of a session are made several at once. */
const OF_THEIR_STEP = new Set([
  'picture',
  'picture:target',
  'network:request',
  'console:message',
  'action:log',
  'agent:action',
  'browser:action_completed',
]);

function note(part, text, tone = '') {
  if (text && part.notes.at(-1)?.text !== text) part.notes.push({ text, tone });
}

/** What each kind of line adds. @type {Record<string, (part: Part, line: Line, reader: RunReader) => void>} */
const TAKES = {
  'task:setup': (part, line, { run }) => {
    run.setup = line;
  },
  'task:started': (part, line, { run }) => {
    run.plan = line;
  },
  'plan:revised': (part, line) => note(part, `The plan is another one now:\n${line.plan}`, 'plain'),
  'steps:planned': (part, line, { run }) => {
    run.planned = line;
  },
  'steps:chosen': (part, line) => {
    if (line.reasoning || line.message) part.said.push(line.reasoning || line.message);
  },
  'steps:resolved': (part, line) => {
    part.resolved = line;
    if (line.reasoning) part.said.push(line.reasoning);
  },
  'steps:completed': (part, line) => {
    part.outcome = line;
  },
  'steps:failed': (part, line) => {
    part.outcome = line;
  },
  'steps:skipped': (part, line) => {
    part.outcome = line;
  },
  'steps:verified': (part, line, { run }) => {
    run.judged.push(line);
  },
  'task:validated': (part, line, { run }) => {
    run.judged.push(line);
  },
  'task:validation_error': (part, line, { run }) => {
    run.judged.push(line);
  },
  'task:completed': (part, line, { run }) => {
    run.result = line.result;
  },
  'agent:observed': (part, line, reader) => {
    reader.unseen.push(line);
  },
  'agent:reasoned': (part, line) => {
    part.said.push(line.reasoning);
  },
  'agent:action': (part, line) => {
    part.calls.push({ action: line.action, given: line.arguments, text: '', success: null, seconds: 0 });
  },
  'browser:action_completed': (part, line) => {
    const call = part.calls.findLast((each) => each.success === null && each.action === line.action);
    if (call) Object.assign(call, { text: line.text, success: line.success, seconds: line.duration_s });
  },
  'approval:asked': (part, line) => {
    part.questions.push({ ask: line.ask, decided: null });
  },
  'approval:decided': (part, line, reader) => {
    for (const each of [part, ...reader.run.steps, reader.run.beginning].flatMap((one) => one.questions)) {
      if (each.ask.id === line.id && !each.decided) {
        each.decided = line;
        return;
      }
    }
  },
  'approval:refused': (part, line) => note(part, line.message),
  'agent:status': (part, line) => note(part, line.message),
  'ai:generation:error': (part, line) => note(part, `${line.kind}: ${line.message}`, 'bad'),
  'firewall:blocked': (part, line) => note(part, line.message, 'bad'),
  'browser:reconnected': (part, line) =>
    note(part, `Chrome had gone away (${line.reason}); the run goes on at ${line.url}.`),
  'history:shrunk': (part, line) =>
    note(
      part,
      `The conversation was made shorter: ${count(line.tokens_before)} → ${count(line.tokens_after)} tokens.`,
      'plain',
    ),
  'task:aborted': (part, line) => note(part, line.reason, 'bad'),
  'cdp:endpoint_cycle': (part, line) =>
    note(part, `Endpoint ${line.endpoint_index + 1} of ${line.total}: ${line.error}`),
  'trace:omitted': (part, line, { run }) => {
    const before = run.omitted.findIndex((each) => each.what === line.what && each.why === line.why);
    if (before >= 0) run.omitted[before] = line;
    else run.omitted.push(line);
  },
  'model:message': (part, line, { run }) => {
    run.messages.set(line.number, line.message);
  },
  'model:tools': (part, line, { run }) => {
    run.tools.set(line.number, line.tools);
  },
  'model:request': (part, line, reader) => {
    const asked = { request: line, reply: null, failure: null };
    reader.requests.set(line.number, asked);
    part.asked.push(asked);
  },
  'model:reply': (part, line, reader) => {
    const asked = reader.requests.get(line.number);
    if (asked) asked.reply = line;
  },
  'model:failure': (part, line, reader) => {
    const asked = reader.requests.get(line.number);
    if (asked) asked.failure = line;
  },
  picture: (part, line) => {
    part.picture = line;
  },
  'picture:target': (part, line) => {
    part.targets.push(line);
  },
  'network:request': (part, line) => {
    part.network.push(line);
  },
  'action:log': (part, line) => {
    part.logs.push(line);
  },
  'console:message': (part, line) => {
    part.console.push(line);
  },
};

/** The seconds in which models were asked. @param {Part} part */
const modelSeconds = (part) =>
  part.asked.reduce((sum, each) => sum + ((each.reply ?? each.failure)?.duration_s ?? 0), 0);

/** The tokens of a part, and what they cost; null where that is not known. @param {Part} part */
function spent(part) {
  const usages = part.asked.flatMap((each) => (each.reply ? [each.reply.usage] : []));
  const costs = usages.map((each) => each.cost).filter((each) => each !== null && each !== undefined);
  return {
    input: usages.reduce((sum, each) => sum + each.input_tokens, 0),
    output: usages.reduce((sum, each) => sum + each.output_tokens, 0),
    cached: usages.reduce((sum, each) => sum + each.cached_tokens, 0),
    cost: costs.length ? costs.reduce((sum, each) => sum + each, 0) : null,
  };
}

/** What a step is about, in a line. @param {Part} part @returns {string} */
function titleOf(part) {
  if (part.resolved) return part.resolved.instruction;
  if (part.outcome?.instruction) return part.outcome.instruction;
  const titles = part.calls.map((call) => {
    if (call.action === 'done' || call.action === 'abort')
      return call.action === 'done' ? 'Gave its answer' : 'Gave the task up';
    const first = call.text.split('\n', 1)[0];
    const isShort = call.success && first.length <= 140 && !LONG.has(call.action);
    return isShort && first ? first : [call.action, ...Object.values(call.given).map(plain)].join(' ').slice(0, 140);
  });
  if (titles.length > 3) return `${titles.slice(0, 3).join(' · ')} · ${titles.length - 3} more`;
  return (
    titles.join(' · ') || (part.asked.some((each) => each.failure) ? 'The model gave no reply' : 'Nothing was done')
  );
}
const LONG = new Set(['snapshot', 'markdown', 'extract', 'done', 'abort', 'search_page', 'find_elements', 'read_page']);

/** Whether something of it failed. @param {Part} part */
const isBad = (part) =>
  part.calls.some((each) => each.success === false) ||
  part.outcome?.type === 'steps:failed' ||
  part.asked.some((each) => each.failure);

/** How the run stands. @param {Run} run @param {boolean} live @returns {[string, string]} its words and its tone */
function standing(run, live) {
  if (run.result) return run.result.success ? ['Done', 'good'] : [run.result.error?.code ?? 'Failed', 'bad'];
  const open = [run.beginning, ...run.steps].flatMap((each) => each.questions).find((each) => !each.decided);
  if (open && live) return ['Waiting for you', 'warn'];
  return live ? ['Running', ''] : ['Ended without a result', 'warn'];
}

const plain = (value) => (typeof value === 'string' ? value : JSON.stringify(value));
const count = (number) => number.toLocaleString('en');
const money = (dollars) =>
  dollars === null ? '' : `$${dollars < 0.01 ? dollars.toPrecision(2) : dollars.toFixed(dollars < 1 ? 3 : 2)}`;
function time(seconds) {
  if (seconds < 0.0995) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 99.5) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
