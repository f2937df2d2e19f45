/** Many sockets in a separate process, which count messages without parsing them. */
import { once } from 'node:events';
import { WebSocket } from 'ws';

export type Order =
  /**
   * The messages that each socket sends: the first at once, the next after each received one; later ones are counted.
   */
  | { open: { url: string; protocols: string[]; firstMessages: string[][] } }
  /** Responds after this many messages. */
  | { until: number }
  /** Returns the last message. */
  | 'sample'
  | 'close';

/** Sockets opened concurrently: fewer than a server's listen queue holds. */
const AT_ONCE = 100;

let sockets: WebSocket[] = [];
let received = 0;
let last: Buffer | null = null;
let awaited: number | null = null;

process.on('message', (order: Order) => {
  if (order === 'sample') answer(String(last));
  else if (order === 'close') void close().then(answer);
  else if ('until' in order) {
    awaited = order.until;
    answerIfReached();
  } else void open(order.open).then(answer);
});

function answer(message: unknown = 'done'): void {
  process.send!(message);
}

function answerIfReached(): void {
  if (awaited === null || received < awaited) return;
  awaited = null;
  answer(received);
}

async function open({
  url,
  protocols,
  firstMessages,
}: {
  url: string;
  protocols: string[];
  firstMessages: string[][];
}) {
  received = 0;
  for (let first = 0; first < firstMessages.length; first += AT_ONCE) {
    await Promise.all(firstMessages.slice(first, first + AT_ONCE).map((lines) => openOne(url, protocols, lines)));
  }
}

async function openOne(url: string, protocols: string[], lines: string[]): Promise<void> {
  const socket = new WebSocket(url, protocols, { perMessageDeflate: false });
  sockets.push(socket);
  let sent = 0;
  const sendNext = () => socket.send(lines[sent++]!);
  const isReady = new Promise<void>((resolve) => {
    const count = (data: Buffer) => {
      received++;
      last = data;
      answerIfReached();
    };
    const reply = () => {
      sendNext();
      if (sent === lines.length) listen();
    };
    const listen = () => {
      socket.off('message', reply);
      socket.on('message', count);
      resolve();
    };
    socket.once('open', () => {
      if (lines.length > 0) sendNext();
      if (sent === lines.length) listen();
      else socket.on('message', reply);
    });
  });
  socket.once('close', (code, reason) => {
    if (sockets.includes(socket)) throw new Error(`A socket was closed: ${code} ${reason.toString()}`);
  });
  await isReady;
}

async function close(): Promise<void> {
  const closing = sockets;
  sockets = [];
  last = null;
  await Promise.all(
    closing.map((socket) => {
      const closed = once(socket, 'close');
      socket.close();
      return closed;
    }),
  );
}
