import { expect, it } from 'vitest';
import type { Transaction } from '../../../src/database/connection/connection.js';
import { inSteps, type Step } from '../../../src/database/connection/pipeline.js';

it('runs the steps around a transaction in one order, with its options', async () => {
  const order: string[] = [];
  const noting =
    (name: string): Step =>
    (next) =>
    async (job) => {
      order.push(`${name} ${job.key} ${job.isRemoval}`);
      const result = await next(job);
      order.push(`end of ${name}`);
      return result;
    };
  const steps = { outcome: noting('outcome'), turn: noting('turn'), guard: noting('guard') };
  const { write } = inSteps(steps, ({ work }) => work({} as Transaction));
  expect(await write('c', async () => 5, { isRemoval: true })).toBe(5);
  expect(order).toEqual([
    'guard c true',
    'turn c true',
    'outcome c true',
    'end of outcome',
    'end of turn',
    'end of guard',
  ]);
});
