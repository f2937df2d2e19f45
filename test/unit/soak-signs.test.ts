/** The report of the soak test for a server without metrics. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { lines, summary, type Minute } from '../soak/mixed-load/report.js';
import type { MeasuredServer } from '../soak/mixed-load/scene.js';
import { Watch } from '../soak/mixed-load/vital-signs.js';
import { freePort } from '../support/server/free-port.js';

const COUNTS = { operations: 1, attacks: 0, events: 0, faults: 0, excused: 0, unexpected: 0, gaps: 0 };

/** A minute in which the metrics of a server could not be read. */
async function silentMinute(): Promise<Minute> {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const log = vi.spyOn(console, 'log');
  onTestFinished(() => log.mockRestore());
  const printed = new Promise<string>((resolve) => void log.mockImplementation(resolve));
  const watch = new Watch({
    name: 'silent',
    metricsUrl: `http://127.0.0.1:${await freePort()}/metrics`,
  } as MeasuredServer);
  vi.advanceTimersByTime(5_000);
  expect(await printed).toMatch(/^silent: no metrics: /);
  return { ...COUNTS, servers: [{ name: 'silent', p50: 1, p99: 2, longest: 3, ...watch.take() }] };
}

it('a minute without metrics has no figures', async () => {
  expect(lines('1', await silentMinute())).toBe(
    '| 1 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | silent | 1.0 | 2.0 | 3.0 | - | - | - | - | - | - |',
  );
});

it('a minute without metrics is excluded from the summary', async () => {
  const silent = await silentMinute();
  const signs = { heap: 5e6, resident: 7e6, lag: 0.01, descriptors: 20, sockets: 3, subscriptions: 2, cpu: 1 };
  const seen: Minute = { ...COUNTS, servers: [{ name: 'silent', p50: 1, p99: 2, longest: 3, ...signs }] };
  expect(summary([silent, seen]).servers[0]).toEqual(seen.servers[0]);
  expect(lines('1', summary([silent]))).toContain('| - | - | - | - | - | - |');
});
