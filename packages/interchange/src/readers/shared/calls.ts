import type { ToolCall } from './parts.js';

/** The calls of a conversation by their ids, noted while its messages are read, for the results further down. */
export class Calls {
  readonly #calls = new Map<string, ToolCall>();

  note(calls: readonly ToolCall[]): void {
    for (const call of calls) this.#calls.set(call.id, call);
  }

  readonly above = (id: string): ToolCall | undefined => this.#calls.get(id);
}
