/** Data of large messages in the shapes of clients: within the limit of 1 MiB, but with different numbers of values. */

/** The size as JSON: 0.7 MiB, so that small heaps can read several. */
const LARGE_BYTES = Math.floor(0.7 * 2 ** 20);

const SENTENCE = 'A sentence in a long text of a person. ';
const PART = { type: 'text', text: 'words' };

/** The levels of nested values: the limit of JSON in messages is higher. */
const LEVELS = 60;

const repeated = <T>(value: T): T[] => Array.from({ length: count(value) }, () => value);
const count = (value: unknown) => Math.floor(LARGE_BYTES / (JSON.stringify(value).length + 1));

/** The data by the name of its shape. */
export const LARGE_DATA = {
  text: () => ({ role: 'user', parts: [{ type: 'text', text: SENTENCE.repeat(LARGE_BYTES / SENTENCE.length) }] }),
  parts: () => ({ role: 'assistant', parts: repeated(PART) }),
  nested: () => ({ role: 'assistant', parts: repeated({ type: 'tool-x', toolName: 'x', input: nested(LEVELS) }) }),
} as const satisfies Record<string, () => unknown>;

export type LargeShape = keyof typeof LARGE_DATA;

function nested(levels: number): unknown {
  return levels === 0 ? {} : { a: nested(levels - 1) };
}
