// puppeteer-core, attached to the running Chrome: `node puppeteer.mjs NODE_MODULES`. See drivers/loop.py for what it is
// asked.
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';

const { default: puppeteer } = await import(
  pathToFileURL(`${process.argv[2]}/puppeteer-core/lib/puppeteer/puppeteer-core.js`)
);

let browser;
let page;

async function timed(work) {
  const started = performance.now();
  const result = await work();
  return [performance.now() - started, result];
}

async function at(url) {
  const pages = await browser.pages();
  return pages.find((each) => each.url() === url);
}

/** Its tree of plain objects, written as the others write theirs: a line for each node. */
async function tree(of) {
  const lines = [];
  const write = (node, depth) => {
    const { role, name, children = [], elementHandle, backendNodeId, loaderId, ...rest } = node;
    const more = Object.entries(rest)
      .filter(([, value]) => typeof value !== 'function')
      .map(([key, value]) => ` [${key}=${value}]`);
    lines.push(`${'  '.repeat(depth)}- ${role}${name ? ` ${JSON.stringify(name)}` : ''}${more.join('')}`);
    for (const child of children) write(child, depth + 1);
  };
  const root = await of.accessibility.snapshot({ includeIframes: true });
  if (root) write(root, 0);
  return lines.join('\n');
}

const named = (of, name) => of.$(`::-p-aria([name="${name}"])`);

const driver = {
  async connect({ endpoint }) {
    browser = await puppeteer.connect({ browserURL: endpoint, defaultViewport: null });
  },
  async attach({ url }) {
    page = await at(url);
    if (!page) throw new Error(`no page ${url}`);
  },
  async snapshot() {
    const [ms, text] = await timed(() => tree(page));
    return { ms, text };
  },
  async evaluate({ expression }) {
    const [ms, value] = await timed(() => page.evaluate(expression));
    return { ms, value };
  },
  async click({ name }) {
    const button = await named(page, name);
    const [ms] = await timed(() => button.click());
    return { ms };
  },
  async fill({ name, value }) {
    const locator = (await named(page, name)).asLocator();
    const [ms] = await timed(() => locator.fill(value));
    return { ms };
  },
  async form({ values, button }) {
    const fields = [];
    for (const [name, value] of Object.entries(values)) fields.push([(await named(page, name)).asLocator(), value]);
    const send = await named(page, button);
    const [ms] = await timed(async () => {
      for (const [field, value] of fields) await field.fill(value);
      await send.click();
    });
    return { ms };
  },
  async find({ selector, attribute, most }) {
    const look = (found, name, shown) => [
      found.length,
      found.slice(0, shown).map((e) => [e.textContent, e.getAttribute(name)]),
    ];
    const [ms, [total]] = await timed(() => page.$$eval(selector, look, attribute, most));
    return { ms, total };
  },
  async tabs({ urls, button }) {
    const pages = await Promise.all(urls.map(at));
    const [ms] = await timed(() =>
      Promise.all(
        pages.map(async (each) => {
          await tree(each);
          await (await named(each, button)).click();
        }),
      ),
    );
    return { ms };
  },
};

/** As in_a_row() of loop.py. */
async function inARow(what, row, rest) {
  const until = performance.now() + row.within_s * 1000;
  const answers = [];
  while (answers.length < row.times && (!answers.length || performance.now() < until)) {
    const numbers = Object.entries(await what(rest)).filter(([, value]) => typeof value === 'number');
    answers.push(Object.fromEntries(numbers));
  }
  return answers;
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { do: what, row, ...rest } = JSON.parse(line);
  const answer = !driver[what]
    ? { lacks: true }
    : row
      ? await inARow(driver[what], row, rest)
      : await driver[what](rest);
  console.log(JSON.stringify(answer ?? null));
}
await browser?.disconnect();
