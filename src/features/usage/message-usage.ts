/** The tokens that messages state in their data, and their sums by model. */
import type { MessageSums } from '../../conversation/saving/message-digest.js';
import { isJsonObject } from '../../conversation/text/merge-patch.js';

export const TOKENS = ['inputTokens', 'outputTokens', 'reasoningTokens', 'cachedInputTokens'] as const;
type Tokens = (typeof TOKENS)[number];

/** Sums of one model. A number of tokens is null if no message states it. */
export interface ModelUsage extends Readonly<Record<Tokens, number | null>> {
  /** Null for messages that state usage without a model. */
  readonly model: string | null;
  /** The number of messages that state usage. */
  readonly messages: number;
}

/** Models that are kept apart; further ones are summed as OTHER_MODELS. */
export const MAX_MODELS = 32;
export const OTHER_MODELS = 'other';
const MAX_MODEL_LENGTH = 100;
/** A message has at most so many. Sums of a chat's messages stay far below 2 ** 53. */
const MAX_TOKENS = 1e9;

/** The names of each number, by path: the AI SDK's of versions 6, 5 and 4, then those of APIs, which imports keep. */
const NAMES: Readonly<Record<Tokens, readonly string[]>> = {
  inputTokens: ['inputTokens', 'promptTokens', 'input_tokens', 'prompt_tokens'],
  outputTokens: ['outputTokens', 'completionTokens', 'output_tokens', 'completion_tokens'],
  reasoningTokens: [
    'outputTokenDetails.reasoningTokens',
    'reasoningTokens',
    'output_tokens_details.reasoning_tokens',
    'completion_tokens_details.reasoning_tokens',
  ],
  cachedInputTokens: [
    'inputTokenDetails.cacheReadTokens',
    'cachedInputTokens',
    'cache_read_input_tokens',
    'input_tokens_details.cached_tokens',
    'prompt_tokens_details.cached_tokens',
  ],
};

/** For the columns `usage`: a ModelUsage per model. */
export const usageSums: MessageSums = {
  of: usageOf,
  add: (sums, usage) => JSON.stringify(addUsage(JSON.parse(sums ?? '[]') as ModelUsage[], usage as ModelUsage)),
};

/**
 * The usage that a message states in its metadata, or in the original that an importer kept there. Null without a valid
 * number: numbers are whole, from 0 to 10^9; other values are ignored.
 * @param data parsed
 */
export function usageOf(data: unknown): ModelUsage | null {
  const metadata = isJsonObject(data) ? data['metadata'] : undefined;
  if (metadata === undefined) return null;
  for (const path of ['usage', 'totalUsage', 'original.usage', 'original.message.usage']) {
    const usage = at(metadata, path);
    if (!isJsonObject(usage)) continue;
    const tokens = Object.fromEntries(
      TOKENS.map((name) => [name, firstOf(usage, NAMES[name], isTokenCount)]),
    ) as Readonly<Record<Tokens, number | null>>;
    if (TOKENS.some((name) => tokens[name] !== null)) return { model: modelOf(metadata), messages: 1, ...tokens };
  }
  return null;
}

/** @param sums by model, in the order in which messages first stated them */
export function addUsage(sums: readonly ModelUsage[], added: ModelUsage): ModelUsage[] {
  const named = sums.findIndex(({ model }) => model === added.model);
  const kept = sums.filter(({ model }) => model !== OTHER_MODELS).length;
  const model = named === -1 && kept >= MAX_MODELS ? OTHER_MODELS : added.model;
  const index = named === -1 && model === OTHER_MODELS ? sums.findIndex((sum) => sum.model === model) : named;
  const before = sums[index];
  if (before === undefined) return [...sums, { ...added, model }];
  const tokens = TOKENS.map((name) => [name, sumOf(before[name], added[name])]);
  const sum = { ...before, messages: before.messages + added.messages, ...Object.fromEntries(tokens) } as ModelUsage;
  return sums.with(index, sum);
}

const MODEL_PATHS = [
  'model',
  'modelId',
  'original.model',
  'original.metadata.model_slug',
  'original.message.model',
] as const;

function modelOf(metadata: unknown): string | null {
  const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';
  // Well-formed: the limit may fall between two surrogates.
  return firstOf(metadata, MODEL_PATHS, isName)?.slice(0, MAX_MODEL_LENGTH).toWellFormed() ?? null;
}

function firstOf<T>(value: unknown, paths: readonly string[], isValid: (found: unknown) => found is T): T | null {
  return paths.map((path) => at(value, path)).find(isValid) ?? null;
}

function isTokenCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_TOKENS;
}

function sumOf(one: number | null, other: number | null): number | null {
  return one === null ? other : one + (other ?? 0);
}

/** The member at a path of names joined by dots. */
function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (found, name) => (isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined),
      value,
    );
}
