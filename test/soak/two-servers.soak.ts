/** One soak for each bus between servers. */
import { expect, inject, it } from 'vitest';
import { openScene, settle, injectFault, type BusKind } from '../live/faults/scene.js';
import { residentBytes } from '../live/faults/resident-bytes.js';
import { noRedis } from '../support/server/redis-server.js';

declare module 'vitest' {
  interface ProvidedContext {
    soak: { minutes: number; buses: BusKind[]; noPostgresql: string | null; isSqliteAlone: boolean };
  }
}

const { minutes, buses, noPostgresql } = inject('soak');

/** The most changes during a fault: short and long faults differ. */
const CHANGES = 400;

/** The number of printed differences: one fault causes many. */
const SHOWN = 10;

const leftOut: Record<BusKind, string> = { postgresql: noPostgresql ?? '', redis: noRedis, none: '' };

it.for(buses)('%s', async (bus, { skip }) => {
  if (leftOut[bus] !== '') skip(leftOut[bus]);
  console.log(`\nTwo servers, bus: ${bus}; ${minutes} minutes. Resident memory is that of both, in MB.\n`);
  console.log('| minute | events | deliveries | reconnects | answers lost | resident | differences |');
  console.log('|---|---|---|---|---|---|---|');
  const scene = await openScene(bus);
  const { crowd, writers, servers, faults } = scene;
  let [reconnects, lost] = [0, 0];
  for (let minute = 1; minute < minutes + 1; minute++) {
    const end = Date.now() + 60_000;
    writers.start();
    while (Date.now() < end) {
      const fault = faults[Math.floor(Math.random() * faults.length)]!;
      await injectFault(fault, writers, Math.ceil(CHANGES * Math.random() ** 2));
    }
    const { events, deliveries, differences } = await settle(scene, minute);
    const resident = servers.map(({ pid }) => Math.round(residentBytes(pid) / 1e6)).join(' + ');
    const counts = [minute, events, deliveries, crowd.reconnects - reconnects, writers.lost - lost];
    console.log(`| ${counts.join(' | ')} | ${resident} | ${differences.length} |`);
    [reconnects, lost] = [crowd.reconnects, writers.lost];
    for (const difference of differences.slice(0, SHOWN)) console.log(`  ${difference}`);
    expect(differences.length).toBe(0);
  }
});
