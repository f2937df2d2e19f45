/** The minimum work of a server: it sends a prepared string to every socket. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

export type Order = 'listen' | 'send' | { text: string };

const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
const listening = once(server, 'listening');
let text = '';

process.on('message', (order: Order) => {
  if (order === 'send') {
    for (const socket of server.clients) socket.send(text);
    process.send!('sent');
  } else if (order === 'listen') {
    void listening.then(() => process.send!(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`));
  } else {
    // A string parsed from a message is not a rope, so sending does not flatten it.
    text = order.text;
    process.send!('ready');
  }
});
