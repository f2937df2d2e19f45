/** Queries and mutations, over HTTP. */
import { ClosedError, UnauthorizedError, unreachable, UnreachableError } from '@parley/transport/errors';
import { dataOf, type Answer, type Succeeded } from './result.js';
import type { Operation } from './operation.js';
import type { TokenSource } from './token.js';

export class Requests {
  readonly #running = new Set<AbortController>();
  #isClosed = false;

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
      const header = await this.#header();
      const { status, answer } = await this.#post(header, { query, variables }, signal);
      const isRefused = status === 401 || answer.errors?.[0]?.extensions?.code === 'UNAUTHENTICATED';
      if (!isRefused) return dataOf<Result>(answer);
      if (isAgain || !(await this.tokens.renew(header))) {
        throw new UnauthorizedError(answer.errors?.[0]?.message ?? 'The token was refused');
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const controller of this.#running) controller.abort(new ClosedError());
  }

  async #header(): Promise<string | null> {
    try {
      return await this.tokens.header();
    } catch (cause) {
      throw new UnauthorizedError('No token could be fetched', { cause });
    }
  }

  async #post(authorization: string | null, body: object, signal?: AbortSignal) {
    const controller = new AbortController();
    const abort = () => controller.abort(signal?.reason ?? new ClosedError());
    if (this.#isClosed || signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort);
    this.#running.add(controller);
    const timer = setTimeout(() => controller.abort(), this.timeoutMs);
    try {
      const response = await this.fetch(this.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          ...(authorization !== null && { authorization }),
        },
        body: JSON.stringify(body),
        signal: controller.signal,
      });
      const { status } = response;
      const text = await response.text();
      const answer = answerIn(text);
      if (answer !== null) return { status, answer };
      if (status === 401) return { status, answer: {} };
      throw unreachable(`Status ${status}`);
    } catch (cause) {
      const reason: unknown = controller.signal.reason;
      if (reason instanceof ClosedError || signal?.aborted === true) throw reason;
      throw cause instanceof UnreachableError ? cause : unreachable(cause);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      this.#running.delete(controller);
    }
  }
}

/** What a proxy answers in the place of a server is no answer. */
function answerIn(text: string): Answer | null {
  try {
    const answer = JSON.parse(text) as Answer | null;
    return answer !== null && typeof answer === 'object' && ('data' in answer || 'errors' in answer) ? answer : null;
  } catch {
    return null;
  }
}
