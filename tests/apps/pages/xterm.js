// A terminal: a hidden field takes the keys, and a small program echoes each line.
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';

const terminal = new Terminal({ rows: 10, cols: 60, screenReaderMode: true });
const lines = [];
let line = '';
terminal.open(document.querySelector('#editor'));
terminal.write('$ ');
terminal.onData((data) => {
  for (const key of data) {
    if (key === '\r') {
      lines.push(line);
      terminal.write(`\r\nyou said ${line}\r\n$ `);
      line = '';
    } else if (key === '\x7f') {
      if (line) terminal.write('\b \b');
      line = line.slice(0, -1);
    } else {
      line += key;
      terminal.write(key);
    }
  }
});

window.app = { editor: terminal, lines, line: () => line };
