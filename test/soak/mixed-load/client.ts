/** A client that distinguishes unexpected failures from injected ones. */
import type { FormattedExecutionResult } from 'graphql';
import { setTimeout as pause } from 'node:timers/promises';
import type { Counters } from './counters.js';
import type { Headers } from './users.js';
import type { Place } from './scene.js';

/** Error codes of servers during an outage of a component. */
const OUTAGE_CODES = ['DATABASE_UNAVAILABLE', 'TIMEOUT', 'SERVER_STOPS'];

/** The interval of retries, in milliseconds. */
const PAUSE_MS = 500;

/** The data of a response. */
export type Answer = Readonly<Record<string, unknown>>;

export class Client {
  constructor(
    private readonly place: Place,
    private readonly headers: Headers,
    private readonly counters: Counters,
  ) {}

  /**
   * Sends a request until there is a response: retries during faults only.
   * @param expected the expected type of the first root field, if that is a union; after a lost response, the change
   * may have been made already, so NotFoundError and AlreadyExistsError count as expected
   * @returns null for an unexpected response, which is counted
   */
  async ask(query: string, variables: object, expected?: string): Promise<Answer | null> {
    for (let isAgain = false; ; isAgain = true) {
      const start = Date.now();
      const answer = await this.#post(query, variables);
      this.counters.operations++;
      if (typeof answer === 'string') {
        if (this.place.faultWindow.excuses(start)) {
          this.counters.excused++;
          await pause(PAUSE_MS);
          continue;
        }
        this.counters.noteUnexpected(`${this.place.name}, ${nameOf(query)}: ${answer}`);
        return null;
      }
      const [value] = Object.values(answer) as [{ __typename?: string; message?: string } | null];
      if (expected === undefined || value?.__typename === expected) return answer;
      const wasMade = isAgain && /NotFoundError|AlreadyExistsError/.test(value?.__typename ?? '');
      if (!wasMade) {
        this.counters.noteUnexpected(`${this.place.name}, ${nameOf(query)}: ${value?.__typename} ${value?.message}`);
      }
      return null;
    }
  }

  /** @returns the data, or the failure as text */
  async #post(query: string, variables: object): Promise<Answer | string> {
    try {
      const response = await fetch(this.place.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...this.headers },
        body: JSON.stringify({ query, variables }),
      });
      const { data, errors } = (await response.json()) as FormattedExecutionResult;
      if (errors === undefined) return data as Answer;
      const [error] = errors;
      const code = error?.extensions?.['code'];
      // Only outage codes are excused during faults; all other errors are unexpected.
      if (OUTAGE_CODES.includes(String(code))) return String(code);
      this.counters.noteUnexpected(`${this.place.name}, ${nameOf(query)}: ${String(code)} ${error?.message}`);
      return {};
    } catch (error) {
      const { cause } = error as { cause?: unknown };
      return `no answer: ${String(cause ?? error)}`;
    }
  }
}

function nameOf(query: string): string {
  return /\w+ (\w+)/.exec(query)?.[1] ?? 'anonymous';
}
