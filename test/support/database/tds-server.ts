/** The part of SQL Server's protocol that the driver needs: it accepts every login and answers statements without rows. */
import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface TdsServer {
  url: string;
  /** The received statements, in order. */
  readonly asked: string[];
  /** The connection number of each statement and of each end of a transaction. */
  readonly connections: number[];
  /** The number of cancelled statements. */
  readonly cancelled: number;
  /** Delays the response to matching statements until they are cancelled. */
  hold(statements: RegExp): void;
  /** Fails matching statements, or all commits, with an error number. */
  refuse(statements: RegExp | 'commit', number: number): void;
  /** Responds to matching statements with one row with one column. */
  answer(statements: RegExp, column: string, value: number): void;
  /** Drops all traffic; new connections get responses again after `wake`. */
  sleep(): void;
  /** Responds to new connections again. */
  wake(): void;
}

const [PRELOGIN, LOGIN, TRANSACTION, ATTENTION] = [0x12, 0x10, 0x0e, 0x06];
/** The number of a commit in a TRANSACTION request. */
const COMMIT = 7;
const END = 0x01;

/** The token that ends a request. */
const done = (status = 0) => Buffer.from([0xfd, status, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const DONE = done();
/** Tokens after an error, with a row count, and after a cancel request. */
const [FAILED, COUNTED, CANCELLED] = [
  done(0x02),
  Buffer.from([0xfd, 0x10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]),
  done(0x20),
];
/** Version 7.4, without a server name. */
const LOGIN_ACK = Buffer.from([0xad, 10, 0, 1, 0x74, 0, 0, 4, 0, 16, 0, 0, 0]);
/** A version, and the flag for no encryption. */
const PRELOGIN_ANSWER = Buffer.from([0, 0, 11, 0, 6, 1, 0, 17, 0, 1, 0xff, 16, 0, 0, 0, 0, 0, 2]);
/** The id of a new transaction; at its end, id 0. */
const begun = Buffer.from([0xe3, 11, 0, 8, 8, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
const ended = (how: number) => Buffer.from([0xe3, 11, 0, how, 0, 8, 1, 0, 0, 0, 0, 0, 0, 0]);

export async function tdsServer(): Promise<TdsServer> {
  const asked: string[] = [];
  const connections: number[] = [];
  const held: RegExp[] = [];
  const answers: { statements: RegExp | 'commit'; answer: Buffer }[] = [];
  let [cancelled, count] = [0, 0];
  const sockets = new Set<Socket>();
  const deaf = new WeakSet<Socket>();
  let isAsleep = false;
  const server = createServer((socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => {}));
    if (isAsleep) deaf.add(socket);
    const connection = ++count;
    eachMessage(socket, (type, data) => {
      const text = data.toString('utf16le');
      if (type === ATTENTION) {
        cancelled++;
        // The response to the interrupted statement is a separate message.
        if (!deaf.has(socket)) socket.write(packet(FAILED));
      } else if (type !== PRELOGIN && type !== LOGIN) {
        asked.push(text);
        connections.push(connection);
        if (held.some((statements) => statements.test(text))) return;
      }
      const isCommit = type === TRANSACTION && requestOf(data) === COMMIT;
      const special = answers.find(({ statements }) =>
        statements === 'commit' ? isCommit : type !== LOGIN && statements.test(text),
      );
      if (!deaf.has(socket)) socket.write(packet(special?.answer ?? answerTo(type, data)));
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
    connections,
    get cancelled() {
      return cancelled;
    },
    hold: (statements) => void held.push(statements),
    refuse: (statements, number) => void answers.push({ statements, answer: Buffer.concat([failed(number), FAILED]) }),
    answer: (statements, column, value) => void answers.push({ statements, answer: rowOf(column, value) }),
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
  if (type === ATTENTION) return CANCELLED;
  if (type !== TRANSACTION) return DONE;
  const request = requestOf(data);
  // Request 5 begins a transaction; 8 rolls back.
  return Buffer.concat([request === 5 ? begun : ended(request === COMMIT ? 9 : 10), DONE]);
}

const requestOf = (data: Buffer) => data.readUInt16LE(data.readUInt32LE(0));

/** A server error without server name, procedure or line. */
function failed(number: number): Buffer {
  const message = Buffer.from('refused', 'utf16le');
  const SEVERITY = 16;
  const head = Buffer.from([0, 0, 0, 0, 1, SEVERITY, message.length / 2, 0]);
  head.writeUInt32LE(number, 0);
  return token(0xaa, Buffer.concat([head, message, Buffer.alloc(6)]));
}

/** A result set with one INT. */
function rowOf(column: string, value: number): Buffer {
  const name = Buffer.from(column, 'utf16le');
  const columns = Buffer.from([0x81, 1, 0, 0, 0, 0, 0, 0, 0, 0x38, column.length]);
  const row = Buffer.from([0xd1, 0, 0, 0, 0]);
  row.writeInt32LE(value, 1);
  return Buffer.concat([columns, name, row, COUNTED]);
}

function token(type: number, content: Buffer): Buffer {
  const head = Buffer.from([type, 0, 0]);
  head.writeUInt16LE(content.length, 1);
  return Buffer.concat([head, content]);
}

/**
 * Messages consist of packets: a type, a flag for the last packet, and the length including the header of eight bytes.
 */
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
