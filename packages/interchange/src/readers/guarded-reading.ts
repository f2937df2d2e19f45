/** Runs readers and converts their errors to sentences. */
import { LeftOutError, UnreadableError } from '../file-values.js';
import type { Reader, FoundSource, SourceConversation } from '../source-conversation.js';

/**
 * Drops times in the future: a chat dated 9999 would stay first in every list. MAX_CLOCK_SKEW_MS allows for other
 * systems' clocks.
 */
export const MAX_CLOCK_SKEW_MS = 24 * 60 * 60 * 1000;

export function isInFuture(time: number | null): boolean {
  return time !== null && time > Date.now() + MAX_CLOCK_SKEW_MS;
}

export function futureTimesWarning(count: number): string {
  const times = count === 1 ? '1 time was' : `${count} times were`;
  return `${times} left out: more than 24 hours after the time of the import`;
}

/** The conversation without its future times, which count as missing. A warning counts them. */
export function withoutFutureTimes(conversation: FoundSource): FoundSource {
  let count = 0;
  const past = (time: number | null): number | null => {
    if (!isInFuture(time)) return time;
    count++;
    return null;
  };
  const createdAt = past(conversation.createdAt);
  const updatedAt = past(conversation.updatedAt);
  const nodes = conversation.nodes.map((node) => {
    const time = past(node.createdAt);
    return time === node.createdAt ? node : { ...node, createdAt: time };
  });
  if (count === 0) return conversation;
  return {
    ...conversation,
    createdAt,
    updatedAt,
    nodes,
    warnings: [...conversation.warnings, futureTimesWarning(count)],
  };
}

export type ReadConversation<Conversation = SourceConversation> = { place: string } & (
  | {
      reader: Reader;
      conversation: Conversation;
      /** Bytes of its text; infinite if it is valid only until the next one is read. */
      bytes: number;
      textsChanged: () => number;
    }
  | UnreadValue
);

export interface UnreadValue {
  fault: string;
  /** Null when the value is of no known format, which is normal for files of a zip. */
  reader: Reader | null;
  /** Whether the reader leaves it out on purpose. */
  isLeftOut: boolean;
  title: string | null;
}

/** Yields a reader's conversations, and its error as a fault of this place. */
export function* guarded(
  place: string,
  reader: Reader,
  title: string | null,
  bytes: number,
  textsChanged: () => number,
  read: () => Iterable<FoundSource>,
): Generator<ReadConversation<FoundSource>> {
  try {
    for (const conversation of read()) {
      yield { place, reader, conversation: withEmptyWarning(withoutFutureTimes(conversation)), bytes, textsChanged };
    }
  } catch (error) {
    yield { place, fault: sentence(error), reader, isLeftOut: error instanceof LeftOutError, title };
  }
}

/** Warns when no message has content: the reader may not know this version of the format. */
function withEmptyWarning(conversation: FoundSource): FoundSource {
  const { nodes, warnings } = conversation;
  if (nodes.length === 0 || nodes.some((node) => node.content().parts.length > 0)) return conversation;
  return { ...conversation, warnings: [...warnings, `none of its ${nodes.length} messages has content`] };
}

/** One line for any error. Errors of unexpected types get a general sentence. */
export function sentence(error: unknown): string {
  if (error instanceof UnreadableError) return error.message.replace(/\s+/g, ' ').trim();
  return 'it is not built as its format is: something in it is of another type';
}
