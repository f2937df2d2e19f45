/** The program `parley` itself: its list of commands, and the exit codes for wrong names. */
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { runProgram } from '../../src/cli/program.js';
import { PROJECT } from '../package/packed.js';
import { outputOf, run } from '../package/run.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const COMMANDS = [
  ...['start', 'schema'],
  ...['copy', 'erase-user', 'demo', 'export', 'import', 'check', 'verify', 'backup', 'restore'],
  ...['transfer', 'migrate', 'retention', 'token', 'usage'],
];
const parley = (...args: string[]) => run(join(PROJECT, 'dist/cli/parley.js'), args, PROJECT);

describe('parley', () => {
  let overview: string;
  beforeAll(async () => {
    overview = (await parley('--help')).stdout;
  });

  it('lists all commands', () => {
    const [, list = ''] = overview.split('Commands:\n');
    const names = [...list.matchAll(/^ {2}([a-z]\S*) /gm)].map(([, name]) => name);
    expect(names).toEqual([...COMMANDS, 'help']);
  });

  // Not import, which sets options of its process.
  it.each(COMMANDS.filter((name) => name !== 'import'))('describes %s', async (name) => {
    const lines: string[] = [];
    const terminal = { out: (text: string) => lines.push(text), error: expect.unreachable, progress: null };
    expect(await runProgram([name, '--help'], terminal)).toMatchObject({ code: 0 });
    expect(lines).toEqual([expect.stringMatching(new RegExp(`^Usage: parley ${name} \\[options\\]`))]);
    const description = lines.splice(0);
    await runProgram(['help', name], terminal);
    expect(lines).toEqual(description);
  });

  it('describes a command in a process of its own', async () => {
    const described = await parley('token', '--help');
    expect(described).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Usage: parley token /) as string,
      stderr: '',
    });
  });

  it('exits with 2 without a command and for an unknown one', async () => {
    expect(await parley()).toEqual({ code: 2, stdout: '', stderr: overview });
    const stderr = "error: unknown command 'imprt'\n(Did you mean import?)\n";
    expect(await parley('imprt', 'file.json')).toEqual({ code: 2, stdout: '', stderr });
    expect(await parley('constructor')).toMatchObject({ code: 2, stdout: '' });
  });

  it('exits with 2 when the server is started with arguments', async () => {
    const { code, stdout, stderr } = await parley('start', '--port', '80');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^error: unknown option '--port'\n\nUsage: parley start /);
  });

  it('lists the commands without the modules of any', async () => {
    const folder = temporaryFolder();
    const files = ['package.json', 'dist/system/message-of.js'];
    files.push(...['parley', 'program'].map((name) => `dist/cli/${name}.js`));
    files.push(...['command', 'terminal'].map((name) => `dist/command/${name}.js`));
    files.push('dist/features/all-commands.js');
    for (const file of files) cpSync(join(PROJECT, file), join(folder, file));
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(join(PROJECT, 'node_modules/commander'), join(folder, 'node_modules/commander'));
    expect(await outputOf(process.execPath, ['dist/cli/parley.js', '--help'], folder)).toBe(overview);
  });
});
