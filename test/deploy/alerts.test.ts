/** The rules of the alarms: that what they ask for is there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { freePort } from '../support/free-port.js';
import { startListening } from '../support/listening-server.js';
import { PROJECT } from './manifests.js';

interface Rule {
  alert: string;
  expr: string;
}

const { groups } = parse(readFileSync(join(PROJECT, 'deploy/prometheus/alerts.yaml'), 'utf8')) as {
  groups: { rules: Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);
const operations = readFileSync(join(PROJECT, 'docs/operations.md'), 'utf8');
const [prose = ''] = /^Worth an alarm: [^]*?\n\n/m.exec(operations) ?? [];

const metricsOf = (text: string) => text.match(/\b(?:parley|process|nodejs)_[a-z0-9_]+/g) ?? [];
const codesOf = (text: string) => text.match(/\b[A-Z]+_[A-Z_]+\b/g) ?? [];
const sorted = (names: readonly string[]) => [...new Set(names)].sort();

it('rules ask for metrics that a server has', async () => {
  // With a bus, which it does not have to reach.
  const redisUrl = `redis://127.0.0.1:${await freePort()}`;
  const { url } = await startListening({ redisUrl, log: () => {} });
  const text = await (await fetch(new URL('/metrics', url))).text();
  const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  const asked = metricsOf(rules.map(({ expr }) => expr).join('\n'));
  expect(asked).toContain('parley_bus_connected');
  // Told on Linux only.
  const isKnown = (name: string) => names.includes(name) || name === 'process_max_fds';
  expect(asked.filter((name) => !isKnown(name))).toEqual([]);
});

it('rules are for what the documentation calls worth an alarm, and for all of it', () => {
  const asked = rules.map(({ expr }) => expr).join('\n');
  expect(sorted(codesOf(asked))).toEqual(sorted(codesOf(prose)));
  expect(sorted(metricsOf(asked).filter((name) => name !== 'parley_operations_total'))).toEqual(
    sorted(metricsOf(prose)),
  );
});
