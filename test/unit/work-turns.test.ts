import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { UNITS_PER_TURN, WorkTurns } from '../../src/scheduler/work-turns.js';

it('a request of several turns waits for one piece of another user that takes longer than a turn', async () => {
  const turns = new WorkTurns();
  let begun = 0;
  const heavy = (async () => {
    for (; begun < 20; begun++) await turns.begin('heavy', 10 * UNITS_PER_TURN);
  })();
  for (let step = 0; step < 5; step++) {
    await turns.begin('light', 1);
    await nextTurn();
  }
  expect(begun).toBeLessThanOrEqual(2);
  await heavy;
});

it('pieces longer than a turn run one after the other when no other user waits', async () => {
  const turns = new WorkTurns();
  for (let n = 0; n < 3; n++) await turns.begin('heavy', 2 * UNITS_PER_TURN);
});
