// What runs in pages is checked here: the bundle of the agent, the page that shows a trace, and the scripts of the
// fixture site.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import js from '@eslint/js';
import globals from 'globals';

const bundle = fileURLToPath(new URL('../../cdp_agent/page/js/', import.meta.url));

// The bundle's files are joined inside one function, so each sees the top-level names of all; one that is written
// nowhere but where it is defined is used by nobody.
const texts = readdirSync(bundle, { recursive: true })
  .filter((name) => name.endsWith('.js'))
  .map((name) => readFileSync(bundle + name, 'utf8'));
const declaredIn = (text) =>
  [...text.matchAll(/^(?:async )?(?:function\*?|const|let|class) (\w+)/gm)].map((match) => match[1]);
const isUsedIn = (joined) => (name) => joined.match(new RegExp(`\\b${name}\\b`, 'g')).length > 1;
const topLevel = declaredIn(texts.join('\n'));
const shared = Object.fromEntries(topLevel.map((name) => [name, 'writable']));

// So are those of the page that shows a trace.
const viewer = fileURLToPath(new URL('../../cdp_agent/trace/static/', import.meta.url));
const shown = readdirSync(viewer)
  .filter((name) => name.endsWith('.js'))
  .map((name) => readFileSync(viewer + name, 'utf8'))
  .join('\n');
const ofViewer = declaredIn(shown);

// What a snapshot needs comes first, and by itself; then what other ways of reading need.
const parts = ['READING', 'EXPLORING'].map((part) =>
  readFileSync(`${bundle}__init__.py`, 'utf8')
    .match(new RegExp(`^${part} = \\(([^)]*)\\)`, 'm'))[1]
    .match(/[\w/]+\.js/g),
);
const declaredAfter = (part) => {
  const files = parts.slice(0, part + 1).flat();
  const declared = new Set(files.flatMap((name) => declaredIn(readFileSync(bundle + name, 'utf8'))));
  return Object.fromEntries(topLevel.filter((name) => !declared.has(name)).map((name) => [name, 'off']));
};

const usedElsewhere = (names) => ({
  create: ({ sourceCode }) => ({
    Program() {
      for (const name of names) sourceCode.markVariableAsUsed(name);
    },
  }),
});

export default [
  js.configs.recommended,
  {
    // What the formatter breaks is at most as wide; a regular expression has no place where it can be broken.
    rules: { 'max-len': ['error', { code: 120, ignoreRegExpLiterals: true }] },
  },
  {
    files: ['cdp_agent/page/js/**/*.js'],
    plugins: { bundle: { rules: { 'used-elsewhere': usedElsewhere(topLevel.filter(isUsedIn(texts.join('\n')))) } } },
    languageOptions: {
      sourceType: 'script',
      parserOptions: { ecmaFeatures: { globalReturn: true, impliedStrict: true } },
      globals: { ...globals.browser, ...shared },
    },
    rules: {
      'no-redeclare': ['error', { builtinGlobals: false }],
      'bundle/used-elsewhere': 'error',
      'no-control-regex': 'off', // control characters are removed from what comes from a page
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  ...parts.map((files, part) => ({
    files: files.map((name) => `cdp_agent/page/js/${name}`),
    languageOptions: { globals: declaredAfter(part) },
  })),
  {
    files: ['cdp_agent/trace/static/*.js'],
    plugins: { viewer: { rules: { 'used-elsewhere': usedElsewhere(ofViewer.filter(isUsedIn(shown))) } } },
    languageOptions: {
      sourceType: 'script',
      globals: { ...globals.browser, ...Object.fromEntries(ofViewer.map((name) => [name, 'writable'])) },
    },
    rules: {
      'no-redeclare': ['error', { builtinGlobals: false }],
      'viewer/used-elsewhere': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    files: ['fixtures/site/**/*.js'],
    languageOptions: { sourceType: 'script', globals: globals.browser },
  },
  {
    files: ['tests/apps/**/*.js'],
    languageOptions: { sourceType: 'module', globals: globals.browser },
  },
];
