/** What breaks meanwhile, one thing after the other. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Ledger } from './ledger.js';
import type { Load } from './load.js';
import type { Scene } from './scene.js';
import type { Weather } from './weather.js';

/** From the end of one to the beginning of the next, in milliseconds. */
const CALM_MS = 15_000;

/** How long each lasts, in milliseconds. */
const OUTAGE_MS = 5_000;

const outage = () => pause(OUTAGE_MS);

interface Fault {
  /** Those who may suffer from it. */
  weathers: readonly Weather[];
  happen(): Promise<void>;
}

/** Goes on until it is told to stop; everything is whole then. @returns how to tell it */
export function startFaults(scene: Scene, load: Load, ledger: Ledger): () => Promise<void> {
  const stopping = new AbortController();
  const calm = () => pause(CALM_MS, undefined, { signal: stopping.signal }).catch(() => {});
  const faults = faultsOf(scene, load);
  const run = async () => {
    for (let n = 0; ; n++) {
      await calm();
      if (stopping.signal.aborted) return;
      const { weathers, happen } = faults[n % faults.length]!;
      ledger.faults++;
      await weathers.reduce<() => Promise<void>>((storm, weather) => () => weather.during(storm), happen)();
    }
  };
  const ended = run();
  return () => {
    stopping.abort();
    return ended;
  };
}

/** The connections of both databases' clients, and all that is on PostgreSQL. */
function faultsOf({ judged, sites, breakable }: Scene, load: Load): Fault[] {
  const cut: Fault = { weathers: [], happen: () => Promise.resolve(load.cutAll()) };
  const swallow: Fault = {
    weathers: [],
    async happen() {
      for (const { proxy } of sites) proxy.swallow();
      await outage();
      for (const { proxy } of sites) proxy.restore();
    },
  };
  if (breakable === null) return [cut, swallow];
  const { postgresql, victim } = breakable;
  const { server, weather } = victim;
  const ofDatabase = [judged[1]!.weather, weather];
  const restart = async (signal: NodeJS.Signals) => {
    const { code, stderr } = await server.kill(signal);
    if (signal === 'SIGTERM' && code !== 0)
      throw new Error(`A server that was told to stop ended with ${code}:\n${stderr}`);
    await pause(1_000);
    await server.startAgain();
  };
  return [
    { weathers: [weather], happen: () => restart('SIGKILL') },
    cut,
    {
      weathers: ofDatabase,
      async happen() {
        await postgresql.stop();
        await outage();
        await postgresql.start();
      },
    },
    swallow,
    { weathers: [weather], happen: () => restart('SIGTERM') },
    {
      weathers: ofDatabase,
      async happen() {
        await postgresql.freeze();
        await outage();
        postgresql.thaw();
      },
    },
  ];
}
