/** A WebSocket with hand-written graphql-transport-ws messages, valid and invalid. */
import { once } from 'node:events';
import type { FormattedExecutionResult, GraphQLFormattedError } from 'graphql';
import { onTestFinished } from 'vitest';
import { WebSocket, type ClientOptions } from 'ws';

/** A message of the protocol. */
export interface Message {
  type: string;
  id?: string;
  payload?: unknown;
}

/** The result of a query or mutation: data, or errors only. */
export interface Answered extends FormattedExecutionResult {
  /** The payload of an error message. */
  refused?: readonly GraphQLFormattedError[];
}

export interface RawWebSocket {
  /** The connection itself. */
  readonly socket: WebSocket;
  /** Settles when the socket has closed. */
  readonly closed: Promise<{ code: number; reason: string }>;
  /** Sends a message; strings and bytes are sent unchanged. */
  send(message: Message | string | Buffer): void;
  /**
   * The oldest unread message, optionally of one operation.
   * @throws Error with the close code when the socket closes first
   */
  take(id?: string): Promise<Message>;
  /** Starts an operation. */
  subscribe(id: string, query: string, variables?: unknown, operationName?: string): void;
  /** The complete result of a query or mutation. */
  ask(id: string, query: string, variables?: unknown, operationName?: string): Promise<Answered>;
}

export interface RawOptions extends ClientOptions {
  /** The offered subprotocols. @default ['graphql-transport-ws'] */
  protocols?: string[];
  /** The payload of connection_init. */
  payload?: unknown;
}

/** Opens a socket without sending a message, until the end of the test. */
export async function openWebSocket(
  url: string,
  { protocols = ['graphql-transport-ws'], ...options }: RawOptions = {},
): Promise<RawWebSocket> {
  const socket = new WebSocket(url, protocols, options);
  onTestFinished(() => socket.terminate());
  const received: Message[] = [];
  let end: string | null = null;
  let wake = () => {};
  socket.on('message', (data: Buffer) => {
    received.push(JSON.parse(data.toString()) as Message);
    wake();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => {
      end = `${code} ${reason.toString()}`;
      wake();
      resolve({ code, reason: reason.toString() });
    });
  });
  await once(socket, 'open');
  socket.on('error', () => {});

  const take = async (id?: string) => {
    for (;;) {
      const at = received.findIndex((message) => id === undefined || message.id === id);
      if (at >= 0) return received.splice(at, 1)[0]!;
      if (end !== null) throw new Error(`The socket has closed: ${end}`);
      await new Promise<void>((resolve) => {
        const others = wake;
        wake = () => {
          wake = () => {};
          others();
          resolve();
        };
      });
    }
  };
  const send = (message: Message | string | Buffer) =>
    socket.send(typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message));
  const subscribe = (id: string, query: string, variables?: unknown, operationName?: string) =>
    send({ type: 'subscribe', id, payload: { query, variables, operationName } });
  return {
    socket,
    closed,
    send,
    take,
    subscribe,
    async ask(id, query, variables, operationName) {
      subscribe(id, query, variables, operationName);
      const answer = await take(id);
      if (answer.type === 'error') return { refused: answer.payload as GraphQLFormattedError[] };
      const last = await take(id);
      if (answer.type !== 'next' || last.type !== 'complete') {
        throw new Error(`Answered by ${answer.type} and ${last.type}, not by next and complete`);
      }
      return answer.payload as FormattedExecutionResult;
    },
  };
}

/** Opens a socket that is ready for operations. */
export async function connectWebSocket(url: string, { payload, ...options }: RawOptions = {}): Promise<RawWebSocket> {
  const client = await openWebSocket(url, options);
  client.send({ type: 'connection_init', payload });
  const { type } = await client.take();
  if (type !== 'connection_ack') throw new Error(`Got ${type} instead of connection_ack`);
  return client;
}

/** The HTTP status of the handshake: 101 when a socket is opened. */
export async function upgradeStatus(url: string, options: ClientOptions = {}): Promise<number | undefined> {
  const socket = new WebSocket(url, 'graphql-transport-ws', options);
  onTestFinished(() => socket.terminate());
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(101));
    socket.once('unexpected-response', (request, response) => {
      resolve(response.statusCode);
      request.destroy();
    });
    socket.on('error', reject);
  });
}
