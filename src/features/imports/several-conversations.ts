/** Counts the conversations of a file before any of them is written. */
import {
  conversationsIn,
  findValues,
  type Reader,
  type SourceFile,
  type SourceText,
  UnreadableError,
} from '@parley/interchange/server';

/** Whether a file has more than one conversation; false for a stream, and zips in a zip, which can be read only once. */
export async function hasSeveral({ texts }: SourceFile, format: Reader | null): Promise<boolean> {
  if (!Array.isArray(texts) || !texts.every((text: SourceText) => text.digest !== undefined)) return false;
  let count = 0;
  for (const text of texts as SourceText[]) {
    try {
      for await (const read of conversationsIn(findValues(text.bytes()), format)) {
        if ('conversation' in read && ++count > 1) return true;
      }
    } catch (error) {
      // The import reports it.
      if (!(error instanceof UnreadableError)) throw error;
    }
  }
  return false;
}
