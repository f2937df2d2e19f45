/** The built program where the native module of better-sqlite3 is missing or damaged. */
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';
import { install } from './installation.js';
import { PROJECT } from './packed.js';
import { run } from './run.js';

const BINARY = 'build/Release/better_sqlite3.node';
const REMEDY = 'run `npm rebuild better-sqlite3` with this version of Node';

/** @param binary null for a missing file */
function installWith(binary: string | null): string {
  const folder = temporaryFolder();
  install(folder, 'better-sqlite3');
  const driver = join(folder, 'node_modules/better-sqlite3');
  for (const part of ['package.json', 'lib']) {
    cpSync(join(PROJECT, 'node_modules/better-sqlite3', part), join(driver, part), { recursive: true });
  }
  symlinkSync(join(PROJECT, 'node_modules/bindings'), join(folder, 'node_modules/bindings'));
  if (binary !== null) {
    mkdirSync(join(driver, BINARY, '..'), { recursive: true });
    writeFileSync(join(driver, BINARY), binary);
  }
  return folder;
}

it.each([
  ['missing', null, /^Could not locate the bindings file$/],
  ['damaged', 'no library'.repeat(100), /better_sqlite3\.node/],
])('prints one line with the remedy if it is %s', async (_, binary, reason) => {
  const folder = installWith(binary);
  const DATABASE_URL = `file:${join(folder, 'parley.db')}`;
  for (const command of ['start', 'migrate']) {
    const { code, stdout, stderr } = await run(process.execPath, ['dist/cli/parley.js', command], folder, {
      DATABASE_URL,
      PORT: '0',
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    const [line, ...others] = stderr.split('\n');
    expect(others).toEqual(['']);
    const variable = command === 'start' ? ' (DATABASE_URL)' : '';
    const start = `Cannot use the database ${DATABASE_URL}${variable}: better-sqlite3 cannot be loaded by Node ${process.version}: `;
    expect([line!.slice(0, start.length), line!.slice(-REMEDY.length)]).toEqual([start, REMEDY]);
    expect(line!.slice(start.length, -`; ${REMEDY}`.length)).toMatch(reason);
  }
});
