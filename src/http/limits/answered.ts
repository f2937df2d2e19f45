import type { ExecutionResult } from 'graphql';
import { insertLists } from '../../graphql/answers/plain-lists.js';
import type { Context } from '../../graphql/context.js';
import { CHARACTERS_AT_ONCE, written } from '../../graphql/limits/answer-json.js';
import { beginWriting } from '../../graphql/limits/begin-work.js';
import { refused } from './refusals.js';

/** The result of an operation, its data written where they are long. */
export async function answered(
  executing: ExecutionResult | Promise<ExecutionResult>,
  context: Context,
): Promise<ExecutionResult> {
  const result = await executing;
  const { content, plainLists } = context;
  if (content !== undefined && content.refusal !== null) return refused(content.refusal);
  const hasLists = plainLists !== undefined && plainLists.length > 0 && insertLists(plainLists, result, context);
  if (!hasLists && (content?.bytes ?? 0) < CHARACTERS_AT_ONCE) return result;
  return written(result, (characters) => beginWriting(characters, context));
}
