/** Sends operations as the hostile user, over HTTP and WebSockets, and reads complete responses. */
import { Agent } from 'node:http';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { bearer } from '../../support/server/tokens.js';
import { codeOf, KEPT, postOperation, type Answer } from './answer.js';
import { follow, type Followers } from './followers.js';
import { LARGE_DATA } from './large-data.js';
import { requestOf, type Operation } from './operation.js';
import { HOSTILE } from './shapes.js';
import { withTokens, type Shares } from './shares.js';

/** Time limit for a response, in milliseconds. */
const PATIENCE_MS = 10_000;

const ANONYMOUS = { 'x-forwarded-for': '10.7.7.7' };

/** Results of subscriptions: the interval of checks, and the time without a result that ends the wait. */
const POLL_MS = 50;
const STILL_MS = 300;

const SAVE = 'mutation Save($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';

export class Sender {
  readonly #agent = new Agent({ keepAlive: true });

  #followers: Followers | null = null;

  private constructor(
    private readonly url: string,
    private readonly headers: Readonly<Record<string, string>>,
    private readonly shares: Shares,
  ) {}

  static async to(url: string, shares: Shares): Promise<Sender> {
    const headers = { ...(await bearer(HOSTILE, false, 24 * 3_600)), 'x-forwarded-for': '10.6.6.6' };
    return new Sender(url, headers, shares);
  }

  /** Sends `times` concurrent copies. Subscriptions continue until `disconnect`. @returns one of the responses */
  async send(operation: Operation): Promise<Answer> {
    const payload = withTokens(JSON.stringify(requestOf(operation)), this.shares);
    if (operation.kind === 'subscription') return this.#subscribe(operation, payload);
    const headers = operation.isAnonymous ? ANONYMOUS : this.headers;
    const one = () => (operation.isOverSocket ? this.#overSocket(payload) : this.#overHttp(payload, headers));
    const answers = await Promise.all(Array.from({ length: operation.times }, one));
    return answers.find(({ code }) => code === null) ?? answers[0]!;
  }

  /** Ends subscriptions. */
  disconnect(): void {
    this.#followers?.stop();
    this.#followers = null;
  }

  stop(): void {
    this.disconnect();
    this.#agent.destroy();
  }

  async #subscribe({ times, areEqual, saves, selections }: Operation, payload: string): Promise<Answer> {
    const followers = await follow(this.url, this.headers, times, (n) =>
      areEqual ? payload : payload.replace('subscription Q', `subscription Q${n}`),
    );
    this.#followers = followers;
    await hasStopped(followers);
    const chatId = selections[0]?.arguments['chatId'];
    if (saves > 0 && typeof chatId === 'string') {
      const content = saves === 1 ? { data: LARGE_DATA.parts() } : { text: 'x' };
      const messages = Array.from({ length: saves }, () => ({ name: 'user', content }));
      const body = JSON.stringify({ query: SAVE, variables: { input: { chatId, messages } } });
      await this.#overHttp(body, this.headers);
      await hasStopped(followers);
    }
    return followers.answer();
  }

  #overHttp(payload: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
    return postOperation({ url: this.url, headers, agent: this.#agent, patienceMs: PATIENCE_MS }, payload);
  }

  async #overSocket(payload: string): Promise<Answer> {
    const socket = new WebSocket(this.url.replace('http', 'ws'), 'graphql-transport-ws', {
      headers: this.headers,
      perMessageDeflate: false,
      maxPayload: 0,
    });
    let [bytes, code] = [0, null as string | null];
    socket.on('open', () => socket.send(JSON.stringify({ type: 'connection_init' })));
    socket.on('message', (data: Buffer) => {
      const text = data.toString('latin1', 0, KEPT) + data.toString('latin1', Math.max(0, data.length - KEPT));
      bytes += data.length;
      if (text.startsWith('{"type":"connection_ack"')) {
        socket.send(`{"id":"1","type":"subscribe","payload":${payload}}`);
        return;
      }
      code ??= codeOf(text);
      if (text.includes('"type":"complete"') || text.includes('"type":"error"')) socket.close();
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

/** Waits until no results arrive any more. */
async function hasStopped(followers: Followers): Promise<void> {
  const ends = performance.now() + PATIENCE_MS;
  for (let still = 0, before = -1; still < STILL_MS && performance.now() < ends; still += POLL_MS) {
    await pause(POLL_MS);
    if (followers.results() !== before) still = 0;
    before = followers.results();
  }
}
