/** Tool results of Claude Code: each is a separate line after the line of its call. */
import type { JsonObject } from '../../file-values.js';
import { callsIn } from '../shared/blocks.js';
import { arrayOf, contentId, idOf, objectOf } from '../shared/members.js';

/** The line after a summary has no parent; it names the last line before the summary. */
export function parentOf(line: JsonObject): string | null {
  return idOf(line['parentUuid'], line['logicalParentUuid']);
}

/** Lines of a message that are searched for calls. */
const MAX_BLOCKS = 200;

/** Results by the ids of their calls. */
export class Results {
  readonly #results = new Map<string, JsonObject>();
  /** Lines with another result of a call that has one: they stay messages. */
  readonly #others = new Set<JsonObject>();
  readonly #called = new Set<string>();
  readonly #entries: ReadonlyMap<unknown, JsonObject>;
  /** The last line of each message of the model. */
  readonly #last = new Map<unknown, JsonObject>();

  constructor(entries: readonly JsonObject[]) {
    this.#entries = new Map(entries.map((line) => [line['uuid'], line]));
    for (const line of entries) {
      const { content, id } = objectOf(line['message']);
      for (const call of callsIn(content)) this.#called.add(call.id);
      if (line['type'] === 'assistant' && id !== undefined) this.#last.set(id, line);
      for (const block of arrayOf(content).map(objectOf)) {
        const call = String(block['tool_use_id']);
        if (block['type'] !== 'tool_result') continue;
        if (!this.#results.has(call)) this.#results.set(call, line);
        else if (contentId(block) !== contentId(this.#blockOf(call))) this.#others.add(line);
      }
    }
  }

  /** Whether a block of a line is a result that is shown with its call. */
  isWithCall(block: unknown, line: JsonObject): boolean {
    if (this.#others.has(line)) return false;
    const { type, tool_use_id: id } = objectOf(block);
    return type === 'tool_result' && this.#called.has(String(id));
  }

  /** Whether a line has only results that are shown with their calls. */
  isTaken(line: JsonObject): boolean {
    const blocks = arrayOf(objectOf(line['message'])['content']);
    return blocks.length > 0 && blocks.every((block) => this.isWithCall(block, line));
  }

  /** The results of the calls in a content. They are read at each call, because large ones are not kept in memory. */
  of(content: unknown): { block: unknown; line: JsonObject }[] {
    return callsIn(content).flatMap(({ id }) => {
      const line = this.#results.get(id);
      const block = this.#blockOf(id);
      return line === undefined || block === undefined ? [] : [{ block, line }];
    });
  }

  #blockOf(call: string): unknown {
    const blocks = arrayOf(objectOf(this.#results.get(call)?.['message'])['content']);
    return blocks.findLast((each) => objectOf(each)['tool_use_id'] === call);
  }

  /** A result names the line of its call, but the next message follows all lines of the message that made the call. */
  parentOf(line: JsonObject): string | null {
    const parent = parentOf(line);
    if (!this.isTaken(line)) return parent;
    const last = this.#last.get(objectOf(this.#entries.get(parent)?.['message'])['id']);
    let at = last;
    for (let step = 0; step < MAX_BLOCKS && at !== undefined && at !== line; step++) {
      if (at['uuid'] === parent) return idOf(last?.['uuid']);
      at = this.#entries.get(parentOf(at));
    }
    return parent;
  }
}
