/** The alerts of Prometheus and the dashboard of Grafana: their metrics exist, and alerts last as long as their condition. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { outputOf } from '../package/run.js';
import { freePort } from '../support/server/free-port.js';
import { startListening } from '../support/server/listening-server.js';
import { temporaryFolder } from '../support/temporary-folder.js';
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
const [prose = ''] = /^Alerts of the file:\n\n[^]*?\n\n/m.exec(operations) ?? [];

const PROMTOOL_TESTS = join(PROJECT, 'test/deploy/alerts.promtool.yaml');

const metricsOf = (text: string) => text.match(/\b(?:parley|process|nodejs)_[a-z0-9_]+/g) ?? [];
const codesOf = (text: string) => text.match(/\b[A-Z]+_[A-Z_]+\b/g) ?? [];
const sorted = (names: readonly string[]) => [...new Set(names)].sort();

interface Dashboard {
  title: string;
  panels: { title: string; targets?: { expr: string }[] }[];
}

const dashboard = JSON.parse(readFileSync(join(PROJECT, 'deploy/grafana/parley.json'), 'utf8')) as Dashboard;
const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

it.each([
  ['alerts', rules.map(({ expr }) => expr)],
  ['panels', queries],
])('the %s use existing metrics', async (_, expressions) => {
  // Pool metrics need a database server, and bus metrics need Redis: neither must be reachable for the metrics page.
  const redisUrl = `redis://127.0.0.1:${await freePort()}`;
  const { url } = await startListening({ redisUrl, log: () => {} });
  const text = await (await fetch(new URL('/metrics', url))).text();
  const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  const used = metricsOf(expressions.join('\n')).map((name) => name.replace(/_(bucket|count)$/, ''));
  expect(used).toContain('parley_bus_connected');
  // Exported on Linux only.
  const isKnown = (name: string) => names.includes(name) || /^process_(max_fds|resident_memory_bytes)$/.test(name);
  expect(used.filter((name) => !isKnown(name))).toEqual([]);
});

test('each panel has a query and a unique title', () => {
  expect(dashboard.panels.filter(({ targets = [] }) => targets.length === 0)).toEqual([]);
  const titles = dashboard.panels.map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
});

test('each alert has a test that it fires, lasts and ends', () => {
  const { tests } = parse(readFileSync(PROMTOOL_TESTS, 'utf8')) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
  };
  for (const { alert } of rules) {
    const own = tests.map(({ alert_rule_test: times }) => times.filter(({ alertname }) => alertname === alert));
    const firings = own.map((times) => times.map(({ exp_alerts: fired }) => (fired.length > 0 ? 'fires' : '')));
    expect([alert, firings.some((each) => /^,fires(,fires)*,$/.test(each.join()))]).toEqual([alert, true]);
  }
});

const promtool = ['/usr/bin/promtool', '/usr/local/bin/promtool', '/opt/homebrew/bin/promtool'].find((path) =>
  existsSync(path),
);
const skipped = promtool === undefined ? ' (skipped: Debian has promtool in the package prometheus)' : '';
describe.skipIf(promtool === undefined)(`promtool${skipped}`, () => {
  it('finds that alerts fire and end as expected', async () => {
    expect(await outputOf(promtool!, ['test', 'rules', PROMTOOL_TESTS], PROJECT)).toContain('SUCCESS');
  });

  it('accepts the configuration of Prometheus in compose.yaml, with the alerts', async () => {
    const printed = await outputOf(promtool!, ['check', 'config', 'deploy/prometheus/prometheus.yml'], PROJECT);
    expect(printed).toContain(`SUCCESS: ${rules.length} rules found`);
  });

  it('accepts the queries of the dashboard', async () => {
    const path = join(temporaryFolder(), 'queries.yaml');
    const recorded = queries.map((expr, n) => ({ record: `panel:${n}`, expr }));
    writeFileSync(path, JSON.stringify({ groups: [{ name: 'dashboard', rules: recorded }] }));
    const printed = await outputOf(promtool!, ['check', 'rules', path], PROJECT);
    expect(printed).toContain(`SUCCESS: ${queries.length} rules found`);
  });
});

it('the alerts are those of the documentation', () => {
  const asked = rules.map(({ expr }) => expr).join('\n');
  expect(sorted(codesOf(asked))).toEqual(sorted(codesOf(prose)));
  const names = metricsOf(asked).map((name) => name.replace(/_(bucket|count)$/, ''));
  expect(sorted(names.filter((name) => name !== 'parley_operations_total'))).toEqual(sorted(metricsOf(prose)));
});
