/** Explains to users why a conversation could not be imported. */
import { RuleError } from '../../../conversation/errors.js';
import { sentence, UnreadableError } from '@parley/interchange/server';

/** Concerns every conversation, not only the current one. */
export class DatabaseFailure extends Error {}

/** @throws DatabaseFailure */
export function reasonOf(error: unknown, conversation: { readonly title: string | null }): string {
  if (error instanceof UnreadableError || error instanceof RuleError) return oneLine(error.message);
  // A reader's unexpected input surfaces when a message is written.
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return sentence(error);
  const message = error instanceof Error ? error.message : String(error);
  const title = conversation.title === null ? '' : ` at ${JSON.stringify(conversation.title.slice(0, 100))}`;
  throw new DatabaseFailure(
    `it failed${title}: ${oneLine(message)}; the import ended there, and may be run again when it works`,
    { cause: error },
  );
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
