/** The limit of a saved message. An answer ends when it passes the limit, and its message is shortened to the limit. */
import { ContextError } from '../errors.js';
import type { UIMessage, UIMessagePart } from '../messages/ui-message.js';
import { isTool, markIncomplete } from '@parley/transport/answer-parts';
import { MAX_MESSAGE_BYTES } from '@parley/transport/server-limits';

/** The bytes of a part besides the text of its chunk, of which a tool's input is stored twice. */
const PART_OVERHEAD_BYTES = 64;
const TOO_LARGE = { reason: 'too-large' };
const TOO_LARGE_CALL = 'The tool call is too large to be stored whole. Its output began: ';

export class MessageTooLargeError extends ContextError {
  constructor() {
    super('INVALID_INPUT', `The answer has more than ${MAX_MESSAGE_BYTES} bytes; its beginning is saved`);
  }
}

/** The size of a growing message, measured only when its chunks may have passed the limit. */
export class MessageSize {
  #freeBytes = 0;

  /** @param message the message so far, as it would be saved */
  constructor(private readonly message: () => unknown) {}

  /** @param bytes of a chunk that the message has taken */
  isPassed(bytes: number): boolean {
    this.#freeBytes -= 2 * bytes + PART_OVERHEAD_BYTES;
    if (this.#freeBytes < 0) this.#freeBytes = MAX_MESSAGE_BYTES - bytesOf(this.message());
    return this.#freeBytes < 0;
  }
}

/** A message of at most the limit. A larger one is marked incomplete, and its last part that is large enough is shortened. */
export function fitMessage(message: UIMessage): UIMessage {
  if (bytesOf(message) <= MAX_MESSAGE_BYTES) return message;
  const marked = markIncomplete(message, undefined, TOO_LARGE);
  let excess = bytesOf(marked) - MAX_MESSAGE_BYTES;
  const places = marked.parts.map((part, index) => ({ part, index, bytes: bytesOf(part) }));
  const enough = places.findLast(({ bytes }) => bytes > excess);
  // Without such a part, the largest parts are removed first, to keep as many as possible.
  const order = enough === undefined ? places.sort((a, b) => b.bytes - a.bytes || b.index - a.index) : [enough];
  const parts: (UIMessagePart | null)[] = [...marked.parts];
  for (const { part, index, bytes } of order) {
    if (excess <= 0) break;
    const shortened = shortenPart(part, bytes - excess);
    parts[index] = shortened;
    excess -= bytes - (shortened === null ? 0 : bytesOf(shortened));
  }
  const fitted = { ...marked, parts: parts.filter((part) => part !== null) };
  return excess <= 0 ? fitted : markIncomplete({ ...fitted, metadata: undefined }, undefined, TOO_LARGE);
}

/** A part of at most `maxBytes`; null when none of it fits. Files and data cannot be cut. */
function shortenPart(part: UIMessagePart, maxBytes: number): UIMessagePart | null {
  if (!isTool(part)) return withText(part, 'text', part['text'], maxBytes);
  const { output, errorText, preliminary: _, rawInput: __, ...call } = part;
  const text = TOO_LARGE_CALL + (typeof output === 'string' ? output : JSON.stringify(output ?? errorText ?? null));
  const ended = { ...call, input: call['input'] ?? {}, state: 'output-error' };
  return withText(ended, 'errorText', text, maxBytes) ?? withText({ ...ended, input: {} }, 'errorText', text, maxBytes);
}

/** A part with the beginning of a text; null when none of it fits. */
function withText(part: UIMessagePart, name: string, text: unknown, maxBytes: number): UIMessagePart | null {
  if (typeof text !== 'string') return null;
  const beginning = (length: number) => ({ ...part, [name]: text.slice(0, length).replace(/[\ud800-\udbff]$/, '') });
  let [fits, tooLong] = [0, Math.min(text.length, Math.max(maxBytes, 0)) + 1];
  while (tooLong - fits > 1) {
    const length = (fits + tooLong) >> 1;
    if (bytesOf(beginning(length)) <= maxBytes) fits = length;
    else tooLong = length;
  }
  return fits === 0 ? null : beginning(fits);
}

const encoder = new TextEncoder();

function bytesOf(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length;
}
