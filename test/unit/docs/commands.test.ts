/** The commands of the documentation: their scripts exist, and their options are known. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runAnswer } from '../../../examples/answer/run-answer.js';
import * as commandFeatures from '../../../src/cli/command-features.js';
import { COMMANDS } from '../../../src/cli/program.js';
import { EXIT, runCommand } from '../../../src/command/command.js';

const PROJECT = new URL('../../../', import.meta.url);
const pages = readdirSync(new URL('docs/', PROJECT), { recursive: true, encoding: 'utf8' });
const PAGES = ['README.md', ...pages.map((name) => `docs/${name}`)].filter((name) => name.endsWith('.md'));
const { scripts } = JSON.parse(readFileSync(new URL('package.json', PROJECT), 'utf8')) as { scripts: object };

/** `npm run NAME -- ARGS` in blocks and in lines of code, up to the end of the code, a comment or a redirection. */
const COMMAND = /\bnpm run (?:-s )?(?<name>[\w:-]+)(?: -- (?<args>(?:'[^']*'|"[^"]*"|[^`#>|\n\\])*))?/g;

const commands = PAGES.flatMap((page) => {
  const text = readFileSync(new URL(page, PROJECT), 'utf8').replace(/ *\\\n */g, ' ');
  return [...text.matchAll(COMMAND)].map(({ groups = {} }) => ({
    page,
    name: groups['name'] ?? '',
    args: (groups['args'] ?? '').trim(),
  }));
});

test('the documentation has commands', () => {
  expect(commands.length).toBeGreaterThan(50);
});

test.for(commands)('$page: npm run $name -- $args', async ({ name, args }) => {
  expect(Object.keys(scripts)).toContain(name);
  const entry = COMMANDS[name];
  // A synopsis has optional arguments in brackets.
  if (args === '' || args.startsWith('[')) return;
  const errors: string[] = [];
  const terminal = { out: () => {}, error: (line: string) => void errors.push(line), progress: null };
  const words = (args.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^(['"])(.*)\1$/, '$2'));
  // With an aborted signal, the example parses its arguments and ends.
  if (name === 'answer') expect([await runAnswer(words, terminal, {}, AbortSignal.abort()), errors]).toEqual([0, []]);
  if (entry === undefined) return;
  const { command } = await entry.load();
  const parsed = { ...command, run: () => Promise.resolve(EXIT.done) };
  const context = { terminal, features: async () => commandFeatures, environment: {} };
  expect([await runCommand(name, parsed, words, context), errors]).toEqual([EXIT.done, []]);
});
