/** A server and the series of its metrics page. */
import type { ServerOptions } from '../../../src/server.js';
import { startListening } from '../../support/server/listening-server.js';

/** The value of each series, by its name and labels as written. */
export async function seriesAt(url: URL | string): Promise<Map<string, number>> {
  const text = await (await fetch(url)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

export async function startMeasured(options: Partial<ServerOptions> = {}) {
  const server = await startListening({ demo: true, ...options });
  return { ...server, series: () => seriesAt(new URL('/metrics', server.url)) };
}

export const operations = (series: Map<string, number>) =>
  Object.fromEntries([...series].filter(([name]) => name.startsWith('parley_operations_total')));
