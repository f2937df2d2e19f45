/** Any calls: both stores return the same results. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../support/effort.js';
import { anyCall, BEGINNING } from '../store-calls.js';
import { GeneratedIds, outcomeOf } from '../store-outcome.js';
import { STORES } from '../stores.js';

test('both stores return the same results for any calls', async () => {
  const { store: local } = await STORES['in process']();
  const { store: remote } = await STORES.remote();
  const ids = { local: new GeneratedIds(), remote: new GeneratedIds() };
  let number = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyCall, { minLength: 5, maxLength: 25 }), async (calls) => {
      number += 1;
      const within = (name: string) => name.replace('$', `-${number}`);
      for (const { call, on } of [...BEGINNING, ...calls]) {
        const [one, other] = await Promise.all([
          outcomeOf(on(local, within), ids.local),
          outcomeOf(on(remote, within), ids.remote),
        ]);
        expect(other, call).toStrictEqual(one);
      }
    }),
    { numRuns: runs(12) },
  );
});
