/** The hostile client: requests with and without a token, and subscriptions. */
import { Agent } from 'node:http';
import { VIEWER } from '../../../support/chats/large-chats.js';
import { bearer } from '../../../support/server/tokens.js';
import { postOperation, type Answer } from '../answer.js';
import { follow, type Followers } from '../followers.js';

/** A little longer than the timeout of a mutation. */
const PATIENCE_MS = 70_000;

export class AttackClient {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #followers: Followers[] = [];

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

  /** Starts subscriptions until the end of the attack. */
  async follow(count: number, queryOf: (n: number) => string): Promise<Followers> {
    const followers = await follow(this.url, this.headers, count, (n) => JSON.stringify({ query: queryOf(n) }));
    this.#followers.push(followers);
    return followers;
  }

  stop(): void {
    this.#agent.destroy();
    for (const followers of this.#followers) followers.stop();
  }

  #post(headers: Readonly<Record<string, string>>, payload: object): Promise<Answer> {
    const { url } = this;
    return postOperation({ url, headers, agent: this.#agent, patienceMs: PATIENCE_MS }, JSON.stringify(payload));
  }
}
