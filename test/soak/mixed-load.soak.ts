/** An hour of mixed load, faults and hostile clients: without other failures or lost events, and with flat memory. */
import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { residentBytes } from '../live/faults/resident-bytes.js';
import { LatencyProbe } from './mixed-load/latency-probe.js';
import { startFaults } from './mixed-load/faults.js';
import { FloodReport } from './mixed-load/flood-report.js';
import { startHostile } from './mixed-load/hostile/hostile.js';
import { IMPORT_FLOODS } from './mixed-load/hostile/import-floods.js';
import { SHARE_FLOODS } from './mixed-load/hostile/share-floods.js';
import { Counters } from './mixed-load/counters.js';
import { Load } from './mixed-load/load.js';
import { heading, lines, quarters, summary, type Minute } from './mixed-load/report.js';
import { openScene, type MeasuredServer } from './mixed-load/scene.js';
import { faultsOfMemory, faultsOfMinutes, faultsOfRest, faultsOfWaits } from './mixed-load/verdict.js';
import { readSigns, Watch } from './mixed-load/vital-signs.js';

const { minutes: wanted, noPostgresql, isSqliteAlone } = inject('soak');

/** The report compares quarters. */
const minutes = Math.max(4, Math.ceil(wanted));

const MINUTE_MS = 60_000;

/** The duration of the load before hostile clients, in milliseconds: the baseline of memory. */
const WARM_MS = 30_000;

/** Attacks during which the waits of other users are checked. */
const WAITS = [
  ['hostile imports', IMPORT_FLOODS],
  ['attacks on shares and selections', SHARE_FLOODS],
] as const;

const COUNTED = ['operations', 'attacks', 'events', 'faults', 'excused', 'unexpected', 'gaps'] as const;

/** Failures since the last call. */
function countsOf(counters: Counters): Omit<Minute, 'servers'> {
  const counts = Object.fromEntries(COUNTED.map((name) => [name, counters[name]])) as Omit<Minute, 'servers'>;
  for (const name of COUNTED) counters[name] = 0;
  for (const words of counters.takeFailures()) console.log(`  ${words}`);
  return counts;
}

/** Settles when a server ends. @returns its reason, from its log */
async function endOf({ name, server }: MeasuredServer): Promise<string> {
  const { code, signal, stderr } = await server.exited;
  return `${name} ended with ${signal ?? code}: ${/FATAL ERROR: .*/.exec(stderr)?.[0] ?? stderr.slice(-1_000)}`;
}

/** Stops a server. @returns its log, and its exit if that is unexpected */
async function faultsOfEnd({ name, server, temporaryFolder }: MeasuredServer): Promise<string[]> {
  server.kill('SIGTERM');
  const { code, stderr } = await server.exited;
  const left = readdirSync(temporaryFolder);
  // An unavailable database is expected.
  const errors = stderr.split('\n').filter((line) => line !== '' && !line.includes('"DATABASE_UNAVAILABLE"'));
  return [
    ...(left.length === 0 ? [] : [`${name} left ${left.join(', ')} in its temporary folder`]),
    ...(code === 0 ? [] : [`${name} ended with ${code}`]),
    ...(errors.length === 0 ? [] : [`${name} logged ${errors.length} errors, as ${errors[0]!.slice(0, 1_000)}`]),
  ];
}

it('is as it was after an hour', async ({ skip }) => {
  if (noPostgresql !== null && !isSqliteAlone) skip(noPostgresql);
  const counters = new Counters();
  const { measured, ...scene } = await openScene(isSqliteAlone);
  const idle = await Promise.all(measured.map(readSigns));
  const probe = await LatencyProbe.start(measured, counters);
  const watches = measured.map((place) => new Watch(place));
  const floods = new FloodReport(probe);
  const load = new Load(scene.sites, counters);
  const processorOf = () => process.cpuUsage().user + process.cpuUsage().system;
  const [began, used] = [Date.now(), processorOf()];

  load.start();
  await pause(WARM_MS);
  const quiet = measured.map((place) => probe.during(place, [[began, Date.now()]]));
  const warm = measured.map(({ server }) => residentBytes(server.pid));
  const stopHostile = await startHostile(measured, counters, floods);
  const stopFaults = startFaults({ measured, ...scene }, load, counters);
  console.log(`\n${minutes} minutes.\n\n${heading('minute')}`);
  const ends = measured.map(endOf);
  const seen: Minute[] = [];
  for (let minute = 1; minute <= minutes; minute++) {
    const end = await Promise.race([pause(began + minute * MINUTE_MS - Date.now(), null), ...ends]);
    if (end !== null) throw new Error(end);
    const servers = measured.map((place, n) => ({ name: place.name, ...watches[n]!.take(), ...probe.take(place) }));
    seen.push({ ...countsOf(counters), servers });
    console.log(lines(String(minute), seen.at(-1)!));
  }
  const seconds = (Date.now() - began) / 1000;
  const ofServers = summary(seen).servers.map(({ name, cpu }) => `${name} ${(cpu / seconds).toFixed(2)}`);
  const ofClients = ((processorOf() - used) / 1e6 / seconds).toFixed(2);
  console.log(`\nProcessor cores in use: ${ofServers.join(', ')}, clients ${ofClients}.`);
  const faults: string[] = [];
  for (const [kind, attacks] of WAITS) {
    const names = attacks.map(({ name }) => name);
    for (const [n, place] of measured.entries()) {
      faults.push(...faultsOfWaits(place, kind, quiet[n]!, floods.waitsDuring(place, names)));
    }
  }

  await stopFaults();
  await Promise.all([load.stop(), stopHostile()]);
  probe.stop();
  for (const watch of watches) watch.stop();
  const ending = { ...countsOf(counters), servers: seen.at(-1)!.servers };
  faults.push(...faultsOfMinutes(seen, ending));
  for (const [n, place] of measured.entries()) faults.push(...(await faultsOfRest(place, idle[n]!)));
  for (const [n, place] of measured.entries()) faults.push(...(await faultsOfMemory(place, warm[n]!)));
  for (const place of measured) faults.push(...(await faultsOfEnd(place)));

  console.log(`\n${heading('quarter')}`);
  for (const [n, quarter] of quarters(seen).entries()) console.log(lines(String(n + 1), summary(quarter)));
  for (const place of measured) floods.print(place);
  for (const fault of faults) console.log(`\n${fault}`);
  expect(faults).toEqual([]);
});
