/** Clients of a chat with big messages, which look at no more than the seq of each event, and can stop reading. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { graphql } from '../../generated/graphql/gql.js';

const BigEvents = graphql(`
  subscription BigEvents($chatId: ID!, $after: Int) {
    chatEvents(chatId: $chatId, after: $after) {
      seq
      ... on BranchHeadMoved {
        messages {
          text
        }
      }
    }
  }
`);

const SEQ = /"seq":(\d+)/g;

/** A subscription over a WebSocket, spoken by hand: a client library would not let it stop. */
export class BigEventReader {
  readonly seqs: number[] = [];
  /** Settles when the server has the subscription. */
  readonly opened: Promise<void>;
  /** Settles with the code with which the socket was closed. */
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  #waiting: { seq: number; resolve: () => void; reject: (error: Error) => void } | null = null;

  constructor(url: string, chatId: string, after = 0) {
    const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws', { perMessageDeflate: false });
    this.#socket = socket;
    const payload = { query: BigEvents.toString(), variables: { chatId, after } };
    this.opened = once(socket, 'open').then(() => {
      socket.send('{"type":"connection_init"}');
      return new Promise((resolve) => {
        socket.on('message', (message: Buffer) => {
          // The seq is at the beginning; most of the rest is filler.
          const beginning = message.toString('latin1', 0, 200);
          const [seq] = [...beginning.matchAll(SEQ)].map((match) => Number(match[1]));
          if (seq !== undefined) this.#take(seq);
          else if (!beginning.includes('connection_ack')) this.#waiting?.reject(new Error(beginning));
          else socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }), () => resolve());
        });
      });
    });
    this.closed = once(socket, 'close').then(([code]) => {
      this.#waiting?.reject(new Error(`closed with ${code} at ${this.seqs.at(-1)}`));
      return code as number;
    });
    // Told by its closing.
    socket.on('error', () => {});
  }

  /** Settles when it has got an event that is this far. @throws Error when the socket closes before, or says no */
  reached(seq: number): Promise<void> {
    if ((this.seqs.at(-1) ?? 0) >= seq) return Promise.resolve();
    return new Promise((resolve, reject) => (this.#waiting = { seq, resolve, reject }));
  }

  stopReading(): void {
    this.#socket.pause();
  }

  readOn(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#socket.terminate();
  }

  #take(seq: number): void {
    this.seqs.push(seq);
    if (this.#waiting === null || this.#waiting.seq > seq) return;
    this.#waiting.resolve();
    this.#waiting = null;
  }
}

/** The same over Server-Sent Events: it reads one event, and the next ones only on demand. */
export class BigEventStream {
  /** Settles when it has got the first event. */
  readonly begun: Promise<void>;
  #reader!: ReadableStreamDefaultReader<Uint8Array>;
  #text = '';

  constructor(url: string, chatId: string, after: number) {
    this.begun = this.#begin(url, JSON.stringify({ query: BigEvents.toString(), variables: { chatId, after } }));
  }

  /** @returns the seqs of all that comes until the stream breaks off */
  async readToTheEnd(): Promise<number[]> {
    try {
      while (await this.#read());
    } catch {
      // It has broken off.
    }
    // An event that is not whole is none.
    const whole = this.#text.slice(0, this.#text.lastIndexOf('\n\n') + 1);
    return [...whole.matchAll(SEQ)].map((match) => Number(match[1]));
  }

  async #begin(url: string, body: string): Promise<void> {
    const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
    const response = await fetch(url, { method: 'POST', headers, body });
    this.#reader = response.body!.getReader();
    while (!/"seq"[^\n]*\n\n/.test(this.#text) && (await this.#read()));
  }

  async #read(): Promise<boolean> {
    const { done, value } = await this.#reader.read();
    if (value !== undefined) this.#text += Buffer.from(value).toString('latin1');
    return !done;
  }
}
