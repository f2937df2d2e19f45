/** Who gets an answer of a subscription made next. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { AnswerTurns } from '../../src/http/limits/answer-turns.js';

let turns: AnswerTurns;
let begun: string[];
beforeEach(() => {
  turns = new AnswerTurns();
  begun = [];
});

/** Answers for these users, by name, and what is begun of them. */
async function ask(...userIds: string[]): Promise<void> {
  for (const userId of userIds) {
    void turns.begin(userId, new AbortController().signal).then(() => begun.push(userId));
  }
  await nextTurn();
}

async function end(userId: string): Promise<void> {
  turns.end(userId);
  await nextTurn();
}

it('four are made at a time, and then in the order in which they were asked for', async () => {
  await ask('a', 'b', 'c', 'd', 'e', 'f');
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
  await end('c');
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
  await end('a');
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
});

it('two of a user, however many wait: others are not behind them', async () => {
  await ask('slow', 'slow', 'slow', 'slow', 'quick');
  expect(begun).toEqual(['slow', 'slow', 'quick']);
  await end('quick');
  await ask('quick');
  expect(begun).toEqual(['slow', 'slow', 'quick', 'quick']);
  await end('slow');
  expect(begun).toEqual(['slow', 'slow', 'quick', 'quick', 'slow']);
});

it('when all have ended, as many begin as at first', async () => {
  await ask('a', 'a', 'b', 'c', 'd');
  for (const userId of ['a', 'a', 'b', 'c', 'd']) await end(userId);
  begun = [];
  await ask('a', 'a', 'a', 'b', 'c', 'd');
  expect(begun).toEqual(['a', 'a', 'b', 'c']);
});

it('who leaves does not wait any more, and nobody waits behind them', async () => {
  await ask('slow', 'slow');
  const leaving = new AbortController();
  const gone = [turns.begin('slow', leaving.signal), turns.begin('slow', leaving.signal)];
  await ask('slow');
  leaving.abort(new Error('gone'));
  for (const turn of [...gone, turns.begin('slow', leaving.signal)]) await expect(turn).rejects.toThrow('gone');
  await end('slow');
  expect(begun).toEqual(['slow', 'slow', 'slow']);
});
