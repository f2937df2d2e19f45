/** The lines of incomplete conversations. */
import { type JsonObject, UnreadableError } from '../file-values.js';
import type { FoundValue } from '../files/json/parsed-value.js';
import { CollectedValue } from '../files/json/collected-value.js';
import { lazyObject } from '../files/json/lazy-object.js';
import { guarded, type ReadConversation } from './guarded-reading.js';
import type { FoundSource, LinesReader } from '../source-conversation.js';

/** Bytes of text up to which lines stay parsed, which takes several times as much memory. */
const MAX_PARSED_BYTES = 16 * 1024 * 1024;
/** Bytes of text before incomplete conversations are returned; later lines are added as from a newer export. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** Lines in memory, at some 300 bytes each besides their text. */
const MAX_LINES = 200_000;
/** Bytes of a line, which is in memory as text. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

interface Group {
  place: string;
  values: JsonObject[];
  textsChanged: number;
}

export class LineGroups {
  #groups = new Map<string | null, Group>();
  #bytes = 0;
  #lines = 0;
  /** Lines as text, on the disk when there are many. */
  #text = new CollectedValue();
  /** The line that was parsed last: accesses are grouped. */
  #parsed: { start: number; line: JsonObject } | null = null;

  constructor(readonly reader: LinesReader) {}

  takes(value: JsonObject): boolean {
    return this.reader.claims(value) || this.reader.continues(value, this.#first);
  }

  /** Whether the collected lines must be returned before this value is added. */
  mustFlushBefore(value: JsonObject): boolean {
    const { reader } = this;
    // Lines without a key are one conversation, which has no id under which later ones would continue it.
    if (reader.keyOf !== undefined && !this.#groups.has(null)) {
      return this.#bytes > MAX_HELD_BYTES || this.#lines === MAX_LINES;
    }
    return this.#groups.size > 0 && reader.claims(value) && !reader.continues(value, this.#first);
  }

  get #first(): JsonObject | null {
    return this.#groups.get(null)?.values[0] ?? null;
  }

  /** @throws UnreadableError when the line is too large, or the disk is full */
  add(found: Extract<FoundValue, { value: unknown }>, value: JsonObject): void {
    if (found.bytes > MAX_LINE_BYTES) {
      throw new UnreadableError(`it is too large for a line: ${(found.bytes / 1e6).toFixed(0)} MB of text`);
    }
    this.#lines++;
    if (this.#lines > MAX_LINES) return;
    const key = this.reader.keyOf?.(value) ?? null;
    const group = this.#groups.get(key) ?? { place: found.place, values: [], textsChanged: 0 };
    this.#groups.set(key, group);
    this.#bytes += found.bytes;
    const isSmall = this.#bytes <= MAX_PARSED_BYTES && !found.isLazy;
    group.values.push(isSmall ? value : this.#packed(value));
    group.textsChanged += found.textsChanged();
  }

  *flush(): Generator<ReadConversation<FoundSource>> {
    const [groups, text, isWhole] = [[...this.#groups.values()], this.#text, this.#lines <= MAX_LINES];
    this.#groups = new Map();
    this.#text = new CollectedValue();
    this.#bytes = this.#lines = 0;
    try {
      for (const { place, values, textsChanged } of groups) {
        yield* guarded(
          place,
          this.reader,
          null,
          Infinity,
          () => textsChanged,
          () => {
            if (!isWhole) throw new UnreadableError(`it has more than ${MAX_LINES.toLocaleString('en')} lines`);
            return this.reader.readAll(values);
          },
        );
      }
    } finally {
      this.#parsed = null;
      text.close();
    }
  }

  /** Deletes temporary files when the reading ends early. */
  close(): void {
    this.#text.close();
  }

  /** Keeps the line as text, which is parsed at each access. A value that nests too deep to be text is no message. */
  #packed(value: JsonObject): JsonObject {
    let line: Buffer;
    try {
      line = Buffer.from(JSON.stringify(value));
    } catch {
      return {};
    }
    const text = this.#text;
    const start = text.size;
    text.append(line);
    return lazyObject(() => this.#lineAt(text, start, start + line.length), 0);
  }

  #lineAt(text: CollectedValue, start: number, end: number): JsonObject {
    const parsed = this.#parsed;
    if (parsed?.start === start) return parsed.line;
    const line = JSON.parse(text.slice(start, end).toString()) as JsonObject;
    this.#parsed = { start, line };
    return line;
  }
}
