import { describe, expect, it } from 'vitest';
import {
  addUsage,
  MAX_MODELS,
  OTHER_MODELS,
  usageOf,
  type ModelUsage,
} from '../../../src/features/usage/message-usage.js';

const none = { inputTokens: null, outputTokens: null, reasoningTokens: null, cachedInputTokens: null };
const withMetadata = (metadata: unknown) => usageOf({ role: 'assistant', parts: [], metadata });

describe('the usage of a message', () => {
  it.each<[source: string, metadata: unknown, expected: object]>([
    [
      'totalUsage of AI SDK 5, as docs of frontends store it',
      {
        model: 'm',
        usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3, reasoningTokens: 4, cachedInputTokens: 5 },
      },
      { model: 'm', inputTokens: 1, outputTokens: 2, reasoningTokens: 4, cachedInputTokens: 5 },
    ],
    [
      'AI SDK 6',
      {
        modelId: 'm',
        totalUsage: {
          inputTokens: 1,
          inputTokenDetails: { cacheReadTokens: 5 },
          outputTokens: 2,
          outputTokenDetails: { reasoningTokens: 4 },
        },
      },
      { model: 'm', inputTokens: 1, outputTokens: 2, reasoningTokens: 4, cachedInputTokens: 5 },
    ],
    ['AI SDK 4', { usage: { promptTokens: 1, completionTokens: 2 } }, { model: null, inputTokens: 1, outputTokens: 2 }],
    [
      'Open WebUI and Qwen, imported',
      {
        source: 'open-webui',
        original: {
          model: 'm',
          usage: {
            prompt_tokens: 1,
            completion_tokens: 2,
            completion_tokens_details: { reasoning_tokens: 4 },
            prompt_tokens_details: { cached_tokens: 5 },
          },
        },
      },
      { model: 'm', inputTokens: 1, outputTokens: 2, reasoningTokens: 4, cachedInputTokens: 5 },
    ],
    [
      'Claude Code, imported',
      {
        source: 'claude-code',
        original: { message: { model: 'm', usage: { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 5 } } },
      },
      { model: 'm', inputTokens: 1, outputTokens: 2, cachedInputTokens: 5 },
    ],
  ])('is read from %s', (_, metadata, expected) => {
    expect(withMetadata(metadata)).toEqual({ ...none, messages: 1, ...expected });
  });

  it.each([-1, NaN, Infinity, 1.5, 1e10, '5', null, {}, [1], true])('ignores the number %j', (inputTokens) => {
    expect(withMetadata({ usage: { inputTokens } })).toBeNull();
    expect(withMetadata({ usage: { inputTokens, outputTokens: 2 } })).toEqual({
      ...none,
      model: null,
      messages: 1,
      outputTokens: 2,
    });
  });

  it.each([
    ['a string', 'text'],
    ['null metadata', { metadata: null }],
    ['a model without tokens, as npm run answer stores it', { metadata: { writer: 'w', model: 'm' } }],
    ['usage that is no object', { metadata: { usage: [1] } }],
    ['inherited members', { metadata: { usage: Object.create({ inputTokens: 1 }) as object } }],
  ])('is none in %s', (_, data) => expect(usageOf(data)).toBeNull());

  it('limits the length of a model, and ignores other values', () => {
    const modelOf = (model: unknown) => withMetadata({ model, usage: { inputTokens: 1 } })?.model;
    expect(modelOf('x'.repeat(300))).toBe('x'.repeat(100));
    expect(modelOf(`${'x'.repeat(99)}😀`)?.isWellFormed()).toBe(true);
    expect(modelOf({})).toBeNull();
    expect(modelOf('')).toBeNull();
  });
});

describe('sums of usage', () => {
  const of = (model: string | null, inputTokens: number): ModelUsage => ({ ...none, model, messages: 1, inputTokens });
  const sum = (list: readonly ModelUsage[]) => list.reduce<ModelUsage[]>(addUsage, []);

  it('are kept by model, in the order of their first message, with null for numbers that no message states', () => {
    expect(sum([of('a', 1), of(null, 2), { ...none, model: 'a', messages: 1, outputTokens: 3 }, of('a', 4)])).toEqual([
      { ...none, model: 'a', messages: 3, inputTokens: 5, outputTokens: 3 },
      { ...none, model: null, messages: 1, inputTokens: 2 },
    ]);
  });

  it('have at most 32 models, and the rest as other', () => {
    const models = Array.from({ length: MAX_MODELS + 3 }, (_, n) => of(`m${n}`, 1));
    const sums = sum([...models, of('m0', 1), of(OTHER_MODELS, 1), of('m34', 1)]);
    expect(sums).toHaveLength(MAX_MODELS + 1);
    expect(sums[0]).toMatchObject({ model: 'm0', messages: 2 });
    expect(sums.at(-1)).toMatchObject({ model: OTHER_MODELS, messages: 5, inputTokens: 5 });
  });
});
