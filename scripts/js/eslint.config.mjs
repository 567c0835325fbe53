// What runs in pages is checked here: the bundle of the agent, and the scripts of the fixture site.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import js from '@eslint/js';
import globals from 'globals';

const bundle = fileURLToPath(new URL('../../cdp_agent/page/js/', import.meta.url));

// The bundle's files are joined inside one function, so each sees the top-level names of all.
const shared = Object.fromEntries(
  readdirSync(bundle)
    .filter((name) => name.endsWith('.js'))
    .flatMap((name) => [...readFileSync(bundle + name, 'utf8').matchAll(/^(?:async )?(?:function\*?|const|let|class) (\w+)/gm)])
    .map((match) => [match[1], 'writable']),
);

export default [
  js.configs.recommended,
  {
    files: ['cdp_agent/page/js/*.js'],
    languageOptions: {
      sourceType: 'script',
      parserOptions: { ecmaFeatures: { globalReturn: true, impliedStrict: true } },
      globals: { ...globals.browser, ...shared },
    },
    rules: {
      'no-redeclare': ['error', { builtinGlobals: false }],
      'no-unused-vars': ['error', { vars: 'local' }],
      'no-control-regex': 'off', // control characters are removed from what comes from a page
      'prefer-const': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'max-lines': ['error', 300],
    },
  },
  {
    files: ['fixtures/site/**/*.js'],
    languageOptions: { sourceType: 'script', globals: globals.browser },
  },
];
