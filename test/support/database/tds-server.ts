/** As much of a SQL Server as its driver needs for a connection: it lets everybody in, and answers every statement with no rows. */
import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface TdsServer {
  url: string;
  /** The statements that have arrived, in their order. */
  readonly asked: string[];
  /** From now on nothing that arrives is answered, as if the network had swallowed it; what connects later is let in again after `wake`. */
  sleep(): void;
  /** Connections that are made from now on are answered. */
  wake(): void;
}

const [PRELOGIN, LOGIN, TRANSACTION] = [0x12, 0x10, 0x0e];
const END = 0x01;

/** A token that says that a request is over. */
const DONE = Buffer.from([0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
/** Version 7.4, of a server without a name. */
const LOGIN_ACK = Buffer.from([0xad, 10, 0, 1, 0x74, 0, 0, 4, 0, 16, 0, 0, 0]);
/** A version, and that nothing is encrypted. */
const PRELOGIN_ANSWER = Buffer.from([0, 0, 11, 0, 6, 1, 0, 17, 0, 1, 0xff, 16, 0, 0, 0, 0, 0, 2]);
/** The number of the transaction that has begun; of its end, that there is none. */
const begun = Buffer.from([0xe3, 11, 0, 8, 8, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
const ended = (how: number) => Buffer.from([0xe3, 11, 0, how, 0, 8, 1, 0, 0, 0, 0, 0, 0, 0]);

export async function tdsServer(): Promise<TdsServer> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const deaf = new WeakSet<Socket>();
  let isAsleep = false;
  const server = createServer((socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => {}));
    if (isAsleep) deaf.add(socket);
    eachMessage(socket, (type, data) => {
      if (type !== PRELOGIN && type !== LOGIN) asked.push(data.toString('utf16le'));
      if (!deaf.has(socket)) socket.write(packet(answerTo(type, data)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
  });
  const { port } = server.address() as { port: number };
  return {
    url: `sqlserver://127.0.0.1:${port};database=parley;user=u;password=p;encrypt=false`,
    asked,
    sleep: () => {
      isAsleep = true;
      sockets.forEach((socket) => deaf.add(socket));
    },
    wake: () => void (isAsleep = false),
  };
}

function answerTo(type: number, data: Buffer): Buffer {
  if (type === PRELOGIN) return PRELOGIN_ANSWER;
  if (type === LOGIN) return Buffer.concat([LOGIN_ACK, DONE]);
  if (type !== TRANSACTION) return DONE;
  const [request = 0] = [data.readUInt16LE(data.readUInt32LE(0))];
  // 5 begins, 7 commits, 8 rolls back.
  return Buffer.concat([request === 5 ? begun : ended(request === 7 ? 9 : 10), DONE]);
}

/** Messages come in packets: a type, whether it is the last, the length with this head of eight bytes. */
function eachMessage(socket: Socket, take: (type: number, data: Buffer) => void): void {
  let arrived = Buffer.alloc(0);
  let parts: Buffer[] = [];
  socket.on('data', (chunk) => {
    arrived = Buffer.concat([arrived, chunk]);
    while (arrived.length >= 8 && arrived.length >= arrived.readUInt16BE(2)) {
      const length = arrived.readUInt16BE(2);
      const [type, status] = [arrived[0] ?? 0, arrived[1] ?? 0];
      parts.push(arrived.subarray(8, length));
      arrived = arrived.subarray(length);
      if ((status & END) === 0) continue;
      take(type, Buffer.concat(parts));
      parts = [];
    }
  });
}

function packet(data: Buffer): Buffer {
  const head = Buffer.from([0x04, END, 0, 0, 0, 0, 1, 0]);
  head.writeUInt16BE(data.length + 8, 2);
  return Buffer.concat([head, data]);
}
