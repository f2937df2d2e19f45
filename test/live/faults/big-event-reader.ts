/** Clients of a chat with large messages. They parse only the seq of each event, and can stop reading. */
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

/** A subscription over a raw WebSocket, because client libraries cannot stop reading. */
export class BigEventReader {
  readonly seqs: number[] = [];
  /** Settles when the server has opened the subscription. */
  readonly opened: Promise<void>;
  /** Settles with the close code of the socket. */
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
          // The seq is at the beginning of a message; the rest is filler.
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
    // The close event reports it.
    socket.on('error', () => {});
  }

  /**
   * Settles at an event with this seq or a later one. @throws Error if the socket closes before, or at a GraphQL error
   */
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

/** The same over Server-Sent Events: reads one event, and the next ones only on demand. */
export class BigEventStream {
  /** Settles when the first event has been received. */
  readonly begun: Promise<void>;
  #reader!: ReadableStreamDefaultReader<Uint8Array>;
  #text = '';

  constructor(url: string, chatId: string, after: number) {
    this.begun = this.#begin(url, JSON.stringify({ query: BigEvents.toString(), variables: { chatId, after } }));
  }

  /** @returns the seqs of all events until the stream is cut off */
  async readToTheEnd(): Promise<number[]> {
    try {
      while (await this.#read());
    } catch {
      // The stream was cut off.
    }
    // Ignore an incomplete event.
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
