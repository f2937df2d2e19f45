/** Sends operations as the hostile user, over HTTP and WebSockets, and reads complete responses. */
import { Agent } from 'node:http';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { bearer } from '../../support/server/tokens.js';
import { codeOf, KEPT, postOperation, type Answer } from './answer.js';
import { requestOf, type Operation } from './operation.js';
import { HOSTILE } from './shapes.js';

/** Time limit for a response, in milliseconds. */
const PATIENCE_MS = 10_000;

/** Maximum of results to read from a subscription. */
const EVENTS = 50;

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
    const { url, headers } = this;
    return postOperation({ url, headers, agent: this.#agent, patienceMs: PATIENCE_MS }, payload);
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
