/** The built program without optional packages, as after `npm ci --omit=optional`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { install } from './installation.js';
import { run } from './run.js';

const folder = mkdtempSync(join(tmpdir(), 'parley-optional-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(() => install(folder));

/** The name of the package, and the version of the project. */
const PACKAGE = /^a package that is not installed: npm install @?[a-z0-9/-]+@\d+\.\d+\.\d+$/;
const SETTINGS = { PORT: '0', DATABASE_URL: ':memory:' };

it('runs on SQLite without them', async () => {
  const server = spawn(process.execPath, ['dist/main.js'], {
    cwd: folder,
    env: SETTINGS,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void server.kill('SIGKILL'));
  const ended = once(server, 'close');
  server.stdout.once('data', () => server.kill('SIGTERM'));
  expect(await text(server.stderr)).toBe('');
  expect(await ended).toEqual([0, null]);
});

it.each(['start', 'migrate'])('names the package that SQL Server needs: parley %s', async (command) => {
  const DATABASE_URL = 'sqlserver://127.0.0.1:1;database=parley;user=me;password=hunter2';
  const { code, stdout, stderr } = await run(process.execPath, ['dist/cli/parley.js', command], folder, {
    ...SETTINGS,
    DATABASE_URL,
  });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  const reason = /^Cannot use the database sqlserver:\S+(?: \(DATABASE_URL\))?: SQL Server needs (.*)\n$/.exec(
    stderr,
  )?.[1];
  expect(reason).toMatch(PACKAGE);
  expect(stderr).not.toContain('hunter2');
});

it.each([
  ['spans', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }],
  ['the audit log', { AUDIT_LOG: 'otlp', OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://127.0.0.1:1' }],
])('names the package that the export of %s needs', async (_, settings) => {
  const { code, stdout, stderr } = await run(process.execPath, ['dist/main.js'], folder, { ...SETTINGS, ...settings });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(/^OpenTelemetry needs (.*)\n$/.exec(stderr)?.[1]).toMatch(PACKAGE);
});

it('names the package that files in a bucket need', async () => {
  const settings = { ...SETTINGS, FILES_URL: 's3://bucket?region=eu-west-1' };
  const { code, stdout, stderr } = await run(process.execPath, ['dist/main.js'], folder, settings);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(/^\S.* needs (.*)\n$/.exec(stderr)?.[1]).toMatch(PACKAGE);
});

it('names the package that MCP needs in the log, and answers everything else', async () => {
  const server = spawn(process.execPath, ['dist/main.js'], { cwd: folder, env: SETTINGS, stdio: 'pipe' });
  onTestFinished(() => void server.kill('SIGKILL'));
  const log = text(server.stderr);
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  const [url = ''] = /http:\S+:\d+/.exec(line.toString()) ?? [];
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const { status } = await fetch(new URL('/mcp', url), { method: 'POST', headers, body });
  expect([status, (await fetch(new URL('/health/live', url))).status]).toEqual([500, 200]);
  server.kill('SIGTERM');
  expect(/MCP needs (.*?)(?:\n|"|\\n)/.exec(await log)?.[1]).toMatch(PACKAGE);
});

it.each([
  ['file:missing.db', '@prisma/adapter-better-sqlite3'],
  ['postgresql://127.0.0.1:1/parley', '@prisma/adapter-pg'],
  ['sqlserver://127.0.0.1:1;database=parley', '@prisma/adapter-mssql'],
])('parley/prisma names the packages that it needs for %s', async (url, adapter) => {
  const program = `import { prismaClient } from './dist/exports/prisma.js';
    await prismaClient('${url}').catch(({ message }) => console.log(message));`;
  const { code, stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', program], folder);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toBe(
    `parley/prisma needs a package that is not installed: npm install @prisma/client@7.10.0 ${adapter}@7.10.0\n`,
  );
});
