/** Estimated tokens of messages in Branch.context: counted once for each message of an operation, in turns with other work. */
import { isRecord, tokensOf } from '@parley/context/server';
import { UNITS_PER_TURN } from '../../scheduler/work-turns.js';
import type { Context } from '../../graphql/context.js';
import { beginWork, beginWriting } from '../../graphql/limits/begin-work.js';
import { jsonLength } from '../../graphql/limits/json-length.js';

/** Parts of a message that are counted in one piece. */
const PARTS_AT_ONCE = 1_000;

const TOKENS_BESIDE_PARTS = tokensOf({}, '', [{ parts: [] }]);

/** @param message the form for a model */
export function tokensIn(message: unknown, context: Context): number | Promise<number> {
  return context.loaders.derived.get(message, 'tokens', () => {
    const parts: unknown = isRecord(message) ? message['parts'] : undefined;
    if (Array.isArray(parts) && parts.length > PARTS_AT_ONCE) return tokensOfParts(parts, context);
    const turn = beginWriting(jsonLength(message), context);
    const count = () => tokensOf({}, '', [message]);
    return turn === null ? count() : turn.then(count);
  });
}

async function tokensOfParts(parts: readonly unknown[], context: Context): Promise<number> {
  let tokens = TOKENS_BESIDE_PARTS;
  for (let n = 0; n < parts.length; n += PARTS_AT_ONCE) {
    const turn = beginWork(UNITS_PER_TURN, context);
    if (turn !== null) await turn;
    tokens += tokensOf({}, '', [{ parts: parts.slice(n, n + PARTS_AT_ONCE) }]) - TOKENS_BESIDE_PARTS;
  }
  return tokens;
}

/** The tokens of a system prompt and messages. */
export async function tokensOfAll(
  { systemPrompt, messages }: { systemPrompt: string; messages: readonly unknown[] },
  context: Context,
): Promise<number> {
  let tokens = tokensOf({}, systemPrompt, []);
  for (const message of messages) {
    const turn = beginWork(1, context);
    if (turn !== null) await turn;
    tokens += await tokensIn(message, context);
  }
  return tokens;
}
