/** Sends operations as the hostile user, over HTTP and WebSockets, and reads complete responses. */
import { Agent, request } from 'node:http';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { bearer } from '../../support/server/tokens.js';
import { requestOf, type Operation } from './operation.js';
import { HOSTILE } from './shapes.js';

/** Time limit for a response, in milliseconds. */
const PATIENCE_MS = 10_000;

/** Maximum of results to read from a subscription. */
const EVENTS = 50;

/** Characters of a response that are kept to classify it. */
const KEPT = 2_000;

/** The code of the first error, if any, and the size of the response. */
export interface Answer {
  code: string | null;
  bytes: number;
}

export class Sender {
  readonly #agent = new Agent({ keepAlive: true });

  private constructor(
    private readonly url: string,
    private readonly headers: Readonly<Record<string, string>>,
  ) {}

  static async to(url: string): Promise<Sender> {
    const headers = { ...(await bearer(HOSTILE, false, 24 * 3_600)), 'x-forwarded-for': '10.6.6.6' };
    return new Sender(url, headers);
  }

  /** Sends `times` concurrent copies. @returns one of the responses */
  async send(operation: Operation): Promise<Answer> {
    const payload = requestOf(operation);
    const one = () => (operation.isOverSocket ? this.#overSocket(payload) : this.#overHttp(payload));
    const answers = await Promise.all(Array.from({ length: operation.times }, one));
    return answers.find(({ code }) => code === null) ?? answers[0]!;
  }

  stop(): void {
    this.#agent.destroy();
  }

  #overHttp(payload: object): Promise<Answer> {
    return new Promise((resolve) => {
      const headers = { 'content-type': 'application/json', accept: 'application/json', ...this.headers };
      let [bytes, beginning, end] = [0, '', ''];
      const finish = () => resolve({ code: codeOf(beginning + end), bytes });
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const asking = request(this.url, { method: 'POST', agent: this.#agent, headers, signal }, (answer) => {
        answer.on('data', (piece: Buffer) => {
          bytes += piece.length;
          if (beginning.length < KEPT) beginning += piece.toString('latin1', 0, KEPT);
          end = piece.toString('latin1', Math.max(0, piece.length - KEPT));
        });
        answer.once('close', finish).on('error', () => {});
      });
      asking.once('error', (error) => resolve({ code: signal.aborted ? 'GIVEN_UP' : error.message, bytes }));
      asking.end(JSON.stringify(payload));
    });
  }

  async #overSocket(payload: object): Promise<Answer> {
    const socket = new WebSocket(this.url.replace('http', 'ws'), 'graphql-transport-ws', {
      headers: this.headers,
      perMessageDeflate: false,
      maxPayload: 0,
    });
    let [bytes, code, left] = [0, null as string | null, EVENTS];
    socket.on('open', () => socket.send(JSON.stringify({ type: 'connection_init' })));
    socket.on('message', (data: Buffer) => {
      const text = data.toString('latin1', 0, KEPT) + data.toString('latin1', Math.max(0, data.length - KEPT));
      bytes += data.length;
      if (text.startsWith('{"type":"connection_ack"')) {
        socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }));
        return;
      }
      code ??= codeOf(text);
      if (--left === 0 || text.includes('"type":"complete"') || text.includes('"type":"error"')) socket.close();
    });
    socket.on('error', () => {});
    const timer = setTimeout(() => {
      if (bytes === 0) code = 'GIVEN_UP';
      socket.terminate();
    }, PATIENCE_MS);
    const [closed] = (await once(socket, 'close')) as [number];
    clearTimeout(timer);
    return { code: code ?? (closed >= 4_000 ? String(closed) : null), bytes };
  }
}

/** The code of the first error in a response. */
function codeOf(text: string): string | null {
  return /"code":"([A-Z_]{4,})"/.exec(text)?.[1] ?? null;
}
