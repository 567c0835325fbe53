// Counts tokens: `node tokens.mjs NODE_MODULES`; a line {do: "count", text} is answered by {tokens}.
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';

const { encode } = await import(pathToFileURL(`${process.argv[2]}/gpt-tokenizer/esm/encoding/o200k_base.js`));

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { text } = JSON.parse(line);
  console.log(
    JSON.stringify({ tokens: encode(text, { allowedSpecial: new Set(), disallowedSpecial: new Set() }).length }),
  );
}
