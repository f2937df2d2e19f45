/** The hostile client: requests with and without a token, and subscriptions. */
import { Agent } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { request, type IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { VIEWER } from '../../../support/chats/large-chats.js';
import { bearer } from '../../../support/server/tokens.js';
import { postOperation, type Answer } from '../answer.js';

const PATIENCE_MS = 60_000;

/** Subscriptions per socket. */
const PER_SOCKET = 20;

export class AttackClient {
  readonly #agent = new Agent({ keepAlive: true });

  private constructor(
    private readonly url: string,
    private readonly headers: Readonly<Record<string, string>>,
  ) {}

  static async to(url: string): Promise<AttackClient> {
    return new AttackClient(url, { ...(await bearer(VIEWER.userId)), 'x-forwarded-for': '10.6.6.6' });
  }

  post(query: string, variables: object = {}): Promise<Answer> {
    return this.#post(this.headers, { query, variables });
  }

  /** Without a token. */
  postAnonymously(query: string, variables: object): Promise<Answer> {
    return this.#post({ 'x-forwarded-for': '10.7.7.7' }, { query, variables });
  }

  /** @returns the response as text */
  async fetch(query: string, variables: object): Promise<string> {
    const headers = { 'content-type': 'application/json', ...this.headers };
    const asking = request(this.url, { method: 'POST', headers, agent: this.#agent });
    asking.end(JSON.stringify({ query, variables }));
    const [response] = (await once(asking, 'response')) as [IncomingMessage];
    return text(response);
  }

  /** Starts subscriptions. @returns the number of received results so far, when called */
  async follow(count: number, query: string): Promise<() => number> {
    let results = 0;
    for (let left = count; left > 0; left -= PER_SOCKET) {
      const { headers } = this;
      const socket = new WebSocket(this.url.replace('http', 'ws'), 'graphql-transport-ws', { headers, maxPayload: 0 });
      socket.on('error', () => {});
      await once(socket, 'open');
      socket.send('{"type":"connection_init"}');
      await once(socket, 'message');
      socket.on('message', (data: Buffer) => {
        const start = data.toString('latin1', 0, 100);
        if (start.includes('"type":"next"') || start.includes('"type":"error"')) results++;
      });
      for (let id = 0; id < Math.min(left, PER_SOCKET); id++) {
        socket.send(JSON.stringify({ id: String(id), type: 'subscribe', payload: { query } }));
      }
    }
    return () => results;
  }

  stop(): void {
    this.#agent.destroy();
  }

  #post(headers: Readonly<Record<string, string>>, payload: object): Promise<Answer> {
    return postOperation({ url: this.url, headers, agent: this.#agent, patienceMs: PATIENCE_MS }, payload);
  }
}
