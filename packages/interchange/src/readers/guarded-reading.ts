/** Reading that ends in a sentence and never in an error. */
import { UnreadableError } from '../files/unreadable.js';
import { withoutFutureTimes } from './future-times.js';
import type { Reader } from './reader.js';
import type { SourceConversation } from './source-conversation.js';

export type ReadConversation = { place: string } & (
  | {
      reader: Reader;
      conversation: SourceConversation;
      /** Of its text; infinite where it may only be used until the next is asked for. */
      bytes: number;
      textsChanged: () => number;
    }
  /** `isForeign`: it is of no known format, which in a file of a zip may well be. */
  | { fault: string; reader: Reader | null; isForeign: boolean; title: string | null }
);

/** What a reader finds, and what it throws as a fault of this place. */
export function* guarded(
  place: string,
  reader: Reader,
  title: string | null,
  bytes: number,
  textsChanged: () => number,
  read: () => Iterable<SourceConversation>,
): Generator<ReadConversation> {
  try {
    for (const conversation of read()) {
      yield { place, reader, conversation: withoutFutureTimes(conversation), bytes, textsChanged };
    }
  } catch (error) {
    yield { place, fault: sentence(error), reader, isForeign: false, title };
  }
}

/** One line, whatever was thrown: a reader that did not expect what it found says no more than that. */
export function sentence(error: unknown): string {
  if (error instanceof UnreadableError) return error.message.replace(/\s+/g, ' ').trim();
  return 'it is not built as its format is: something in it is of another type';
}
