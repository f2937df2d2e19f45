/** The items in lines of Codex, and the texts of the answers among them, which events repeat. */
import { isJsonObject, type JsonObject } from '../../json-object.js';
import { arrayOf, contentId, objectOf, textOf } from '../shared/members.js';

/** The item of a line with content. */
export function itemIn(line: JsonObject): JsonObject | null {
  if ('payload' in line) {
    if (line['type'] === 'compacted') return { type: 'compacted', ...objectOf(line['payload']) };
    return line['type'] === 'response_item' && isJsonObject(line['payload']) ? line['payload'] : null;
  }
  return 'record_type' in line ? null : line;
}

export class AnswerTexts {
  readonly #texts = new Set<string | null>();
  /** The line of the answer before and after each line; -1 for none. */
  readonly #before: number[] = [];
  readonly #after: number[] = [];

  constructor(readonly lines: readonly JsonObject[]) {
    let last = -1;
    for (const [n, line] of lines.entries()) {
      const texts = textsOf(line);
      for (const text of texts) this.#texts.add(contentId(text.trim()));
      if (texts.length > 0) last = n;
      this.#before[n] = last;
    }
    last = -1;
    for (let n = lines.length - 1; n >= 0; n--) {
      if (this.#before[n] === n) last = n;
      this.#after[n] = last;
    }
  }

  /** Whether an answer has the text of an event, or one next to the event contains it. */
  has(text: unknown, line: number): boolean {
    if (typeof text !== 'string' || text.trim() === '') return true;
    const own = text.trim();
    if (this.#texts.has(contentId(own))) return true;
    const near = [this.#before[line] ?? -1, this.#after[line] ?? -1];
    return near.some((n) => textsOf(this.lines[n] ?? {}).some((other) => other.includes(own)));
  }
}

/** The texts of an answer of the model, each and all together. */
function textsOf(line: JsonObject): string[] {
  const item = itemIn(line);
  if (item === null || (item['role'] !== 'assistant' && item['type'] !== 'agent_message')) return [];
  const content = item['content'] ?? item['message'] ?? item['text'];
  if (typeof content === 'string') return [content];
  const texts = arrayOf(content).flatMap((block) => textOf(objectOf(block)['text']) ?? []);
  return texts.length > 1 ? [...texts, texts.join('')] : texts;
}
