/** Injects faults, one after the other. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Counters } from './counters.js';
import type { Load } from './load.js';
import type { Scene } from './scene.js';
import type { FaultWindow } from './fault-window.js';

/** Milliseconds from the end of one fault to the start of the next. */
const INTERVAL_MS = 15_000;

/** Milliseconds of each outage. */
const OUTAGE_MS = 5_000;

const outage = () => pause(OUTAGE_MS);

interface Fault {
  /** The servers that the fault may affect. */
  windows: readonly FaultWindow[];
  injectFaults(): Promise<void>;
}

/** Injects faults until the returned function is called, which settles after the last fault has ended. */
export function startFaults(scene: Scene, load: Load, counters: Counters): () => Promise<void> {
  const stopping = new AbortController();
  const interval = () => pause(INTERVAL_MS, undefined, { signal: stopping.signal }).catch(() => {});
  const faults = faultsOf(scene, load);
  const run = async () => {
    for (let n = 0; ; n++) {
      await interval();
      if (stopping.signal.aborted) return;
      const { windows, injectFaults } = faults[n % faults.length]!;
      counters.faults++;
      await windows.reduce<() => Promise<void>>(
        (fault, faultWindow) => () => faultWindow.during(fault),
        injectFaults,
      )();
    }
  };
  const ended = run();
  return () => {
    stopping.abort();
    return ended;
  };
}

/** Faults of the connections to both databases' servers, and of PostgreSQL and its servers. */
function faultsOf({ measured, sites, breakable }: Scene, load: Load): Fault[] {
  const cut: Fault = { windows: [], injectFaults: () => Promise.resolve(load.cutAll()) };
  const swallow: Fault = {
    windows: [],
    async injectFaults() {
      for (const { proxy } of sites) proxy.swallow();
      await outage();
      for (const { proxy } of sites) proxy.restore();
    },
  };
  if (breakable === null) return [cut, swallow];
  const { postgresql, victim } = breakable;
  const { server, faultWindow } = victim;
  const ofDatabase = [measured[1]!.faultWindow, faultWindow];
  const restart = async (signal: NodeJS.Signals) => {
    const { code, stderr } = await server.kill(signal);
    if (signal === 'SIGTERM' && code !== 0) throw new Error(`A stopped server ended with ${code}:\n${stderr}`);
    await pause(1_000);
    await server.startAgain();
  };
  return [
    { windows: [faultWindow], injectFaults: () => restart('SIGKILL') },
    cut,
    {
      windows: ofDatabase,
      async injectFaults() {
        await postgresql.stop();
        await outage();
        await postgresql.start();
      },
    },
    swallow,
    { windows: [faultWindow], injectFaults: () => restart('SIGTERM') },
    {
      windows: ofDatabase,
      async injectFaults() {
        await postgresql.freeze();
        await outage();
        postgresql.thaw();
      },
    },
  ];
}
