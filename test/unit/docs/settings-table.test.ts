/** docs/operations.md lists every setting with its defaults and its meaning. */
import { readFileSync } from 'node:fs';
import { expect, it, test } from 'vitest';
import { readConfig, SECRETS, SERVER_SETTINGS } from '../../../src/config.js';

const operations = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
const [, section = ''] = /^## Settings\n(.*?)^## /ms.exec(operations) ?? [];

const textOf = (value: unknown, shown = [value].join()) => (shown === '' ? '' : `\`${shown}\``);

const rows = SERVER_SETTINGS.map(({ variable, inDevelopment, byDefault, shown, meaning }) =>
  [`\`${variable}\``, textOf(inDevelopment, shown), textOf(byDefault, shown), meaning].join('|'),
);

test('the table has the row of every setting, in any order', () => {
  const cells = [...section.matchAll(/^\| (`[A-Z_]+`) +\| (.*?) +\| (.*?) +\| (.*?) +\|$/gm)];
  expect(cells.map(([, ...row]) => row.map((cell) => cell.trim()).join('|')).sort()).toEqual(rows.sort());
});

it.each(SERVER_SETTINGS.flatMap(({ variable, shown }) => (shown ? [[variable, shown]] : [])))(
  'the default of %s is %s',
  (variable, shown) => expect(readConfig({ [variable]: shown })).toEqual(readConfig({})),
);

test('the section names the file of every secret', () => {
  expect(SECRETS.filter((variable) => !section.includes(`\`${variable}_FILE\``))).toEqual([]);
});
