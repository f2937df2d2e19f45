import type { ToolCall } from './parts.js';

/** The tool calls of a conversation by their ids. Readers note them in order, so that later results find their call. */
export class Calls {
  readonly #calls = new Map<string, ToolCall>();

  note(calls: readonly ToolCall[]): void {
    for (const call of calls) this.#calls.set(call.id, call);
  }

  readonly above = (id: string): ToolCall | undefined => this.#calls.get(id);
}
