/** docs/security.md and docs/import.md name existing tests, and docs/security.md lists the actual limits. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { readConfig } from '../../../src/config.js';

const PROJECT = new URL('../../../', import.meta.url);
const page = readFileSync(new URL('docs/security.md', PROJECT), 'utf8');

test.each([
  ['docs/security.md', 'test/api/refusals/ownership.test.ts'],
  ['docs/import.md', 'test/features/imports/steps/new-chats.test.ts'],
])('every test that %s names exists', (path, known) => {
  const text = readFileSync(new URL(path, PROJECT), 'utf8');
  const named = [...text.matchAll(/`((?:packages\/\w+\/)?test\/[^`]+)`/g)].map(([, name = '']) => name);
  expect(named).toContain(known);
  expect(named.filter((path) => !existsSync(new URL(path, PROJECT)))).toEqual([]);
});

describe('a limit of a server with tokens', () => {
  const production = { AUTH_JWT_SECRET: 'x'.repeat(32) };
  // Defaults without a number depend on the machine.
  const { maxContentBytes, importMemoryBytes } = readConfig(production).limits;
  const testFiles: Record<string, number> = {
    MAX_CONTENT_BYTES: maxContentBytes,
    IMPORT_MEMORY_BYTES: importMemoryBytes,
  };
  const limits = [...page.matchAll(/^\| [^|]+ \| `([A-Z_]+)` +\| (?:`([0-9]+)`|[^|`]+) +\|/gm)];

  test('is in the table', () => {
    expect(limits).toHaveLength(Object.keys(readConfig(production).limits).length + 1);
  });

  it.each(limits.map(([, name = '', byDefault = String(testFiles[name])]) => [name, byDefault]))(
    '%s is %s',
    (name, byDefault) => {
      expect(readConfig({ ...production, [name]: byDefault })).toEqual(readConfig(production));
      expect(readConfig({ ...production, [name]: String(Number(byDefault) + 1) })).not.toEqual(readConfig(production));
    },
  );
});
