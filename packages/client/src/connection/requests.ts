/** Queries and mutations, over HTTP. */
import { ask, JSON_HEADERS, type Answered } from '@parley/transport/ask';
import { ClosedError, UnauthorizedError, unreachable } from '@parley/transport/errors';
import type { TokenSource } from '@parley/transport/token';
import type { Operation } from './operation.js';
import { dataOf, type Succeeded } from './result.js';

export class Requests {
  readonly #closing = new AbortController();

  constructor(
    private readonly url: string,
    private readonly tokens: TokenSource,
    private readonly fetch: typeof globalThis.fetch,
    private readonly timeoutMs: number,
  ) {}

  async run<Result, Variables>(
    query: Operation<Result, Variables>,
    variables: Variables,
    signal?: AbortSignal,
  ): Promise<Succeeded<Result>> {
    for (let isAgain = false; ; isAgain = true) {
      const header = await this.tokens.header();
      const { status, answer } = await this.#ask(header, query, variables, signal);
      const error = answer?.errors?.[0];
      if (status !== 401 && error?.extensions?.code !== 'UNAUTHENTICATED') {
        if (answer === null) throw unreachable(`Status ${status}`);
        return dataOf<Result>(answer);
      }
      if (isAgain || !(await this.tokens.renew(header))) {
        throw new UnauthorizedError(error?.message ?? 'The token was refused');
      }
    }
  }

  close(): void {
    this.#closing.abort(new ClosedError());
  }

  async #ask(authorization: string | null, query: string, variables: unknown, signal?: AbortSignal): Promise<Answered> {
    const { url, fetch, timeoutMs } = this;
    const headers = { ...JSON_HEADERS, ...(authorization !== null && { authorization }) };
    const { signal: closing } = this.#closing;
    try {
      return await ask({ url, fetch, headers, query, variables }, closing, signal, AbortSignal.timeout(timeoutMs));
    } catch (cause) {
      if (closing.aborted || signal?.aborted === true) throw cause;
      throw unreachable(cause);
    }
  }
}
