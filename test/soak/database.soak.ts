/** A server whose PostgreSQL fails in every way, for a given time. */
import { expect, inject, it } from 'vitest';
import { startTriedServer } from '../live/faults/database-server.js';

const { minutes, noPostgresql } = inject('soak');

/** Maximum of saves between two faults: short and long outages differ. */
const SAVES = 400;

it('loses no acknowledged write, reports an outage within ten seconds, and recovers', async ({ skip }) => {
  if (noPostgresql !== null) skip(noPostgresql);
  console.log(
    `\nA server on PostgreSQL; ${minutes} minutes.\n\n| minute | saves | not acknowledged | faults |\n|---|---|---|---|`,
  );
  const { faults, savers, end } = await startTriedServer();
  for (let minute = 1; minute < minutes + 1; minute++) {
    const over = Date.now() + 60_000;
    const before = { saves: savers.acknowledged.length, failures: savers.failures };
    const happened = new Map<string, number>();
    while (Date.now() < over) {
      const fault = faults[Math.floor(Math.random() * faults.length)]!;
      await savers.more(Math.ceil(SAVES * Math.random() ** 2));
      await fault.begin();
      await fault.end?.();
      happened.set(fault.name, (happened.get(fault.name) ?? 0) + 1);
    }
    const counts = [minute, savers.acknowledged.length - before.saves, savers.failures - before.failures];
    console.log(`| ${counts.join(' | ')} | ${[...happened].map(([name, count]) => `${name}: ${count}`).join(', ')} |`);
  }
  await savers.more(SAVES);
  expect(await end()).toEqual([]);
});
