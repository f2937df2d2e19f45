/** The program `parley` itself: its list of commands, and the exit codes for wrong names. */
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { PROJECT } from '../package/packed.js';
import { outputOf, run } from '../package/run.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const COMMANDS = [
  ...['start', 'import', 'export', 'migrate', 'check', 'copy', 'token', 'transfer', 'erase-user'],
  ...['answer', 'demo', 'schema'],
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

  it.each(COMMANDS)('describes %s', async (name) => {
    const usage = new RegExp(`^Usage: parley ${name} \\[options\\]`);
    const described = await parley(name, '--help');
    expect(described).toEqual({ code: 0, stdout: expect.stringMatching(usage) as string, stderr: '' });
    // `help NAME` is the same for all names; each call takes the start of a process.
    if (name === 'token') expect(await parley('help', name)).toEqual(described);
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
    const files = ['package.json', 'dist/message-of.js'];
    files.push(...['parley', 'command', 'modest-heap', 'terminal'].map((name) => `dist/cli/${name}.js`));
    for (const file of files) cpSync(join(PROJECT, file), join(folder, file));
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(join(PROJECT, 'node_modules/commander'), join(folder, 'node_modules/commander'));
    expect(await outputOf(process.execPath, ['dist/cli/parley.js', '--help'], folder)).toBe(overview);
  });
});
