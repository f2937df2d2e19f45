/** The reads at intervals of lists and feeds. */
import { expect, it } from 'vitest';
import { Sweeps } from '../../src/events/sweeps.js';

it('sweeps that are requested at the same time run one after the other, also after a failure', async () => {
  const steps: string[] = [];
  const errors: unknown[] = [];
  const failure = new Error('the first sweep');
  const sweep = async () => {
    const isFirst = steps.length === 0;
    steps.push('begin');
    await Promise.resolve();
    steps.push('end');
    if (isFirst) throw failure;
  };
  const sweeps = new Sweeps(sweep, { sweepIntervalMs: 3_600_000, onError: (error) => errors.push(error) });
  await Promise.all([sweeps.run(), sweeps.run(), sweeps.run()]);
  expect(steps).toEqual(['begin', 'end', 'begin', 'end', 'begin', 'end']);
  expect(errors).toEqual([failure]);
});
