/** The lines of conversations that are not complete yet. */
import type { FoundValue } from '../files/found-values.js';
import { lazyObject } from '../files/lazy-object.js';
import { guarded, type ReadConversation } from './guarded-reading.js';
import type { JsonObject } from './shared/members.js';
import type { LinesReader } from './reader.js';

/** Bytes of text up to which lines are kept as they were parsed, which takes several times as much. */
const MAX_PARSED = 16 * 1024 * 1024;
/** Bytes of text that are kept at all, before what there is goes out as it is: more comes to it as to a newer export. */
const MAX_HELD = 64 * 1024 * 1024;

interface Group {
  place: string;
  values: JsonObject[];
  textsChanged: number;
}

export class Gathering {
  #groups = new Map<string | null, Group>();
  #bytes = 0;

  constructor(readonly reader: LinesReader) {}

  takes(value: JsonObject): boolean {
    return this.reader.claims(value) || this.reader.continues(value, this.#first);
  }

  /** Whether what is held has to go before this value comes. */
  isBegunAnewBy(value: JsonObject): boolean {
    if (this.#bytes > MAX_HELD && this.reader.keyOf !== undefined) return true;
    const { reader } = this;
    return (
      reader.keyOf === undefined &&
      this.#groups.size > 0 &&
      reader.claims(value) &&
      !reader.continues(value, this.#first)
    );
  }

  get #first(): JsonObject | null {
    return this.#groups.get(null)?.values[0] ?? null;
  }

  add(found: Extract<FoundValue, { value: unknown }>, value: JsonObject): void {
    const key = this.reader.keyOf?.(value) ?? null;
    const group = this.#groups.get(key) ?? { place: found.place, values: [], textsChanged: 0 };
    this.#groups.set(key, group);
    this.#bytes += found.bytes;
    const isSmall = this.#bytes <= MAX_PARSED && !found.isLazy;
    group.values.push(isSmall ? value : packed(value));
    group.textsChanged += found.textsChanged();
  }

  *flush(): Generator<ReadConversation> {
    const groups = [...this.#groups.values()];
    this.#groups = new Map();
    this.#bytes = 0;
    for (const { place, values, textsChanged } of groups) {
      yield* guarded(
        place,
        this.reader,
        null,
        Infinity,
        () => textsChanged,
        () => this.reader.readAll(values),
      );
    }
  }
}

/** Held as text, which is parsed at each look. Nothing that nests too deep to be text is a message. */
function packed(value: JsonObject): JsonObject {
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch {
    return {};
  }
  return lazyObject(() => JSON.parse(text) as JsonObject, 0);
}
