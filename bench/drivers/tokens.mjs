// Counts tokens: `node tokens.mjs NODE_MODULES o200k|Claude`; a line {do: "count", text} is answered by {tokens}.
import { createRequire } from 'node:module';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';

const [modules, name] = process.argv.slice(2);
const count = name === 'Claude' ? createRequire(`${modules}/`)('@anthropic-ai/tokenizer').countTokens : await o200k();

async function o200k() {
  const { encode } = await import(pathToFileURL(`${modules}/gpt-tokenizer/esm/encoding/o200k_base.js`));
  return (text) => encode(text, { allowedSpecial: new Set(), disallowedSpecial: new Set() }).length;
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  console.log(JSON.stringify({ tokens: count(JSON.parse(line).text) }));
}
