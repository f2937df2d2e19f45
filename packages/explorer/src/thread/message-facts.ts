/** The model, the tokens, the cost, the duration and the end that a message's data name. Stored data is any JSON: each field is checked. */

import { seconds } from '../words.js';

/** Maximum length of a model's name in characters. */
const MAX_NAME_LENGTH = 100;

export interface MessageFacts {
  model: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
  costUsd: number | null;
  durationMs: number | null;
  /** Whether it ended early: a user stopped it, or its writer failed. */
  isIncomplete: boolean;
  /** The error that ended it. */
  failure: string | null;
}

/** @param data of a message, or null @param draftMetadata of a draft that has no data yet */
export function factsOf(data: unknown, draftMetadata: unknown = null): MessageFacts {
  const metadata = { ...recordOf(recordOf(data)['metadata']), ...recordOf(draftMetadata) };
  const original = recordOf(metadata['original']);
  const message = recordOf(original['message']);
  const usage = recordOf(
    [metadata['usage'], metadata['totalUsage'], original['usage'], message['usage']].find((each) => each != null),
  );
  const names = [
    metadata['model'],
    metadata['modelId'],
    original['model'],
    recordOf(original['metadata'])['model_slug'],
    message['model'],
  ];
  const name = names.find((each) => typeof each === 'string' && each !== '');
  const failure = metadata['failure'];
  return {
    model: typeof name === 'string' ? name.slice(0, MAX_NAME_LENGTH) : null,
    inputTokens: firstNumber(usage, 'inputTokens', 'promptTokens', 'input_tokens', 'prompt_tokens'),
    outputTokens: firstNumber(usage, 'outputTokens', 'completionTokens', 'output_tokens', 'completion_tokens'),
    // OpenRouter's, a name that states the currency, and Claude Code's.
    costUsd: firstNumber(usage, 'cost') ?? firstNumber(metadata, 'costUsd') ?? firstNumber(original, 'costUSD'),
    durationMs: firstNumber(metadata, 'durationMs'),
    isIncomplete: metadata['status'] === 'incomplete',
    failure: typeof failure === 'string' && failure !== '' ? failure : null,
  };
}

/** Such as "1,204 in, 310 out". */
export function tokensIn({
  inputTokens,
  outputTokens,
}: Pick<MessageFacts, 'inputTokens' | 'outputTokens'>): string | null {
  const counts = [
    inputTokens !== null && `${inputTokens.toLocaleString('en')} in`,
    outputTokens !== null && `${outputTokens.toLocaleString('en')} out`,
  ];
  return counts.filter((count) => count !== false).join(', ') || null;
}

/** Small costs have two significant digits. */
export const costIn = ({ costUsd }: Pick<MessageFacts, 'costUsd'>): string | null =>
  costUsd?.toLocaleString('en', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
    minimumSignificantDigits: 2,
    maximumSignificantDigits: 2,
    roundingPriority: 'morePrecision',
  }) ?? null;

export const durationIn = ({ durationMs }: Pick<MessageFacts, 'durationMs'>): string | null =>
  durationMs === null ? null : seconds(durationMs);

/** The first field with a number that is not negative. */
function firstNumber(from: Readonly<Record<string, unknown>>, ...names: readonly string[]): number | null {
  const isAmount = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value < Infinity;
  return names.map((name) => from[name]).find(isAmount) ?? null;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
