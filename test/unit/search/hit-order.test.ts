import { expect, test } from 'vitest';
import { compareHits } from '../../../src/database/dialects/hit-order.js';

test('hits are ordered by score, newest first, by chat in the order of the databases, and newest first within a chat', () => {
  const order = [
    { score: 2, createdAt: 1, chatId: 'c', seq: 1 },
    { score: 1, createdAt: 2, chatId: 'c', seq: 1 },
    { score: 1, createdAt: 1, chatId: 'B', seq: 1 },
    { score: 1, createdAt: 1, chatId: 'a', seq: 2 },
    { score: 1, createdAt: 1, chatId: 'a', seq: 1 },
    { score: 1, createdAt: 1, chatId: 'aa', seq: 3 },
    { score: 1, createdAt: 1, chatId: 'é', seq: 1 },
    // UTF-16 code units have the opposite order.
    { score: 1, createdAt: 1, chatId: '\uff0a', seq: 1 },
    { score: 1, createdAt: 1, chatId: '\u{1f600}', seq: 1 },
  ];
  expect(order.toReversed().sort(compareHits)).toEqual(order);
});
