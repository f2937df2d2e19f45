/** docs/operations.md lists every setting with its defaults. */
import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { readConfig, settings } from '../../../src/config.js';

const operations = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
const [, section = ''] = /^## Settings\n(.*?)^## /ms.exec(operations) ?? [];

/** The rows of the table: a variable, and its defaults in both modes. */
const rows = [...section.matchAll(/^\| `([A-Z_]+)` +\| (.*?) \| (.*?) \|/gm)].map(([, name = '', ...defaults]) => {
  const [development = '', production = ''] = defaults.map((text) => text.trim().replaceAll('`', ''));
  return { name, development, production };
});

const modes = {
  development: {},
  production: { AUTH_JWT_SECRET: 'x'.repeat(32) },
};

test('the table has every setting exactly once', () => {
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(settings.shape).sort());
});

describe.each(Object.entries(modes))('the default in %s', (mode, environment) => {
  it.each(rows.map((row) => [row.name, row[mode as keyof typeof modes]]))('of %s is "%s"', (name, byDefault) => {
    if (byDefault === '') {
      const isList = ['READ_DATABASE_URL', 'ALLOWED_ORIGINS', 'TRUSTED_PROXIES', 'WEBHOOKS'].includes(name);
      const setting = settings.shape[name as keyof typeof settings.shape];
      expect(setting.parse(undefined)).toEqual(isList ? [] : undefined);
    } else {
      expect(readConfig({ ...environment, [name]: byDefault })).toEqual(readConfig(environment));
    }
  });
});
