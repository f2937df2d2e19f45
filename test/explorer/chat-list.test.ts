/** The groups of the chat list, and the model in a message's data. */
import { describe, expect, it } from 'vitest';
import { groupedByDay, shortTime } from '../../packages/explorer/src/chats/by-day.js';
import { costIn, factsOf, tokensIn } from '../../packages/explorer/src/thread/message-facts.js';

const NOW = new Date(2026, 10, 26, 9, 30);

const chat = (id: string, ...time: [number, number, number, number]) => ({
  ...{
    id,
    title: id,
    metadata: {},
    userId: 'u',
    viewerRole: 'OWNER' as const,
    version: 1,
    messageCount: 1,
    branchCount: { totalCount: 1 },
  },
  ...{ createdAt: '', lastMessage: null, updatedAt: new Date(...time).toISOString() },
});

describe('the chat list', () => {
  it('has a group for each day of a week, then for each month, and pinned chats first', () => {
    const chats = [
      chat('now', 2026, 10, 26, 9),
      chat('midnight', 2026, 10, 26, 0),
      chat('late', 2026, 10, 25, 23),
      chat('sunday', 2026, 10, 22, 12),
      chat('earlier', 2026, 10, 3, 12),
      chat('pinned', 2026, 9, 3, 12),
      chat('old', 2025, 9, 3, 12),
    ];
    const groups = groupedByDay(chats, new Set(['pinned']), NOW).map((group) => [
      group.label,
      group.chats.map(({ id }) => id),
    ]);
    expect(groups).toEqual([
      ['Pinned', ['pinned']],
      ['Today', ['now', 'midnight']],
      ['Yesterday', ['late']],
      ['Sunday', ['sunday']],
      ['November', ['earlier']],
      ['October 2025', ['old']],
    ]);
  });

  it('shows the time for two days, and the year of other years', () => {
    expect(shortTime(new Date(2026, 10, 25, 1, 5), NOW)).toMatch(/1:05/);
    expect(shortTime(new Date(2026, 9, 25), NOW)).not.toMatch(/2026/);
    expect(shortTime(new Date(2025, 9, 25), NOW)).toMatch(/2025/);
  });
});

describe('the model of a message', () => {
  it.each([
    [{ metadata: { model: 'llama3.2' } }, 'llama3.2'],
    [{ metadata: { original: { metadata: { model_slug: 'gpt-4o' } } } }, 'gpt-4o'],
    [{ metadata: { original: { model: 'opus' } } }, 'opus'],
    [{ metadata: { model: { id: 1 } } }, null],
    ['text', null],
    [null, null],
  ])('%j is %s', (data, model) => {
    expect(factsOf(data).model).toBe(model);
  });

  it('is that of the draft while it is written, with the tokens of its usage', () => {
    expect(factsOf({ metadata: { usage: { inputTokens: 3, outputTokens: 'x' } } }, { model: 'echo' })).toEqual({
      model: 'echo',
      inputTokens: 3,
      outputTokens: null,
      costUsd: null,
      durationMs: null,
      isIncomplete: false,
      failure: null,
    });
  });

  it.each([
    [{ usage: { input_tokens: 1, cost: 0.0123 }, cost: 9 }, '1 in', '$0.012'],
    [{ original: { message: { usage: { output_tokens: 1_200 } }, costUSD: 1.5 } }, '1,200 out', '$1.50'],
    [{ totalUsage: { promptTokens: -1, completionTokens: 2 }, costUsd: 0.00001 }, '2 out', '$0.000010'],
    [{ usage: { inputTokens: '3', cost: Infinity }, costUsd: 'much' }, null, null],
  ])('%j are the tokens %j and the cost %j', (metadata, tokens, cost) => {
    const facts = factsOf({ metadata });
    expect([tokensIn(facts), costIn(facts)]).toEqual([tokens, cost]);
  });

  it.each([
    ['a failure', 'overloaded', 'overloaded'],
    ['anything else', { at: 1 }, null],
  ])('of an answer that ended early has %s', (_, failure, shown) => {
    expect(factsOf({ metadata: { status: 'incomplete', failure } })).toMatchObject({
      isIncomplete: true,
      failure: shown,
    });
  });
});
