/** What the tools of Claude Code answered: each result is a line of its own, behind the line of its call. */
import type { JsonObject } from '../../json-object.js';
import { callsIn } from '../shared/blocks.js';
import { arrayOf, idOf, objectOf } from '../shared/members.js';

/** What follows a summary of what was said has no parent, and says what stood there. */
export function parentOf(line: JsonObject): string | null {
  return idOf(line['parentUuid'], line['logicalParentUuid']);
}

/** Lines of a message that are looked at. */
const MAX_BLOCKS = 200;

/** By the ids of the calls. */
export class Results {
  readonly #results = new Map<string, JsonObject>();
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
        if (block['type'] === 'tool_result') this.#results.set(String(block['tool_use_id']), line);
      }
    }
  }

  /** Whether a block stands with its call. */
  isWithCall(block: unknown): boolean {
    const { type, tool_use_id: id } = objectOf(block);
    return type === 'tool_result' && this.#called.has(String(id));
  }

  /** Whether a line says nothing but what stands with calls. */
  isTaken(line: JsonObject): boolean {
    const blocks = arrayOf(objectOf(line['message'])['content']);
    return blocks.length > 0 && blocks.every((block) => this.isWithCall(block));
  }

  /** For the calls in a content; large ones are not held. */
  of(content: unknown): { block: unknown; line: JsonObject }[] {
    return callsIn(content).flatMap(({ id }) => {
      const line = this.#results.get(id);
      const blocks = arrayOf(objectOf(line?.['message'])['content']);
      const block = blocks.findLast((each) => objectOf(each)['tool_use_id'] === id);
      return line === undefined || block === undefined ? [] : [{ block, line }];
    });
  }

  /** A result names the line of its call: what comes then follows all of the message that made the call. */
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
