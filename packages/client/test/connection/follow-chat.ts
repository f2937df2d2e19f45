/**
 * A client in a child process, which can be stopped like a sleeping laptop. Prints a JSON line whenever the chat `c`
 * changes. A line on its input closes everything; it prints the remaining resources and exits.
 */
import { WebSocket } from 'ws';
import { createParley, ThreadStore } from '../../src/client.js';

const [url = ''] = process.argv.slice(2);
const parley = createParley({ url, webSocket: WebSocket, pingMs: 200, timeoutMs: 500, retryDelay: () => 50 });
const store = new ThreadStore(parley, 'c');
const print = (value: object) => process.stdout.write(`${JSON.stringify(value)}\n`);
process.on('unhandledRejection', (reason) => print({ unhandled: String(reason) }));
store.subscribe(() => {
  const { status, thread } = store.getState();
  print({ status, shown: thread.map(({ text }) => text).join(' ') });
});
process.stdin.once('data', () => {
  process.stdin.destroy();
  store.close();
  parley.close();
  setImmediate(() => print({ timers: process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length }));
});
