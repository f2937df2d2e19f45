import { expect, test } from 'vitest';
import { Answer } from '../../src/http/answers/answer.js';
import { AnswerQueue } from '../../src/http/subscriptions/answer-queue.js';

const answer = () => new Answer({ data: { text: 'x'.repeat(60) } });

test('a client that leaves more than the bound unread is disconnected, and one that reads is not', async () => {
  const [slow, quick] = [0, 0].map(() => {
    const queue = new AnswerQueue(100, () => disconnected.push(queue));
    queue.onReturn(() => left.push(queue));
    return queue;
  }) as [AnswerQueue, AnswerQueue];
  const disconnected: AnswerQueue[] = [];
  const left: AnswerQueue[] = [];
  for (let n = 0; n < 3; n++) {
    slow.push(answer());
    quick.push(answer());
    expect(await quick.next()).toMatchObject({ done: false });
  }
  expect([disconnected, left]).toEqual([[slow], [slow]]);
  await expect(slow.next()).rejects.toThrow('cut off');
});
