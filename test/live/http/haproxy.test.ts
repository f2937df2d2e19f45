/** HAProxy health checks of a server. By default they have no Host header. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { PROJECT } from '../../deploy/manifests.js';
import { freePort } from '../../support/server/free-port.js';
import { startListening } from '../../support/server/listening-server.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { emptyDatabaseUrl } from '../../support/database/temporary-database.js';
import { AUTH } from '../../support/server/tokens.js';

const haproxy = ['/usr/sbin/haproxy', '/usr/bin/haproxy', '/usr/local/sbin/haproxy', '/opt/homebrew/bin/haproxy'].find(
  (path) => existsSync(path),
);
const skipped = haproxy === undefined ? ' (skipped: no haproxy on this machine; Debian has a package haproxy)' : '';

/** The backend that docs/operations.md documents, and its check. */
const [backend = ''] =
  /^backend parley\n(?: .*\n)+/m.exec(readFileSync(join(PROJECT, 'docs/operations.md'), 'utf8')) ?? [];
const [, documented = ''] = /^ {2}option (httpchk .*)$/m.exec(backend) ?? [];

const DEFAULTS = 'mode http\n  timeout connect 5s\n  timeout client 5s\n  timeout server 5s';

/** Runs HAProxy until the end of the test. */
function runHaproxy(configuration: string): void {
  const path = join(temporaryFolder(), 'haproxy.cfg');
  writeFileSync(path, `defaults\n  ${DEFAULTS}\n${configuration}\n`);
  const child = spawn(haproxy!, ['-db', '-f', path], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
}

/** Starts HAProxy with one backend for each check. @returns the statuses of the checks, such as "UP L7OK" */
async function startHaproxy(serverPort: string, checks: Record<string, string>) {
  const port = await freePort();
  const backends = Object.entries(checks).map(
    ([name, check]) => `
backend ${name}
  option ${check}
  server s 127.0.0.1:${serverPort} check inter 100ms fastinter 50ms fall 1 rise 1`,
  );
  const frontend = `bind 127.0.0.1:${port}\n  stats enable\n  stats uri /stats\n  use_backend %[path,field(2,/)]`;
  runHaproxy(`frontend f\n  ${frontend}\n${backends.join('\n')}`);
  return {
    statuses: async () => {
      const csv = await fetch(`http://127.0.0.1:${port}/stats;csv`).then(
        (response) => response.text(),
        () => '',
      );
      const [header = '', ...lines] = csv.split('\n');
      const names = header.replace(/^# /, '').split(',');
      const rows = lines.map((line) => {
        const values = line.split(',');
        return (name: string) => values[names.indexOf(name)];
      });
      const servers = rows.filter((value) => value('svname') === 's');
      return Object.fromEntries<string>(
        servers.map((value) => [
          String(value('pxname')),
          `${value('status')} ${value('check_status')?.replace('* ', '')}`,
        ]),
      );
    },
  };
}

test.skipIf(haproxy === undefined)(
  `HAProxy finds a server up with HTTP/1.0 checks, and down after it has stopped${skipped}`,
  async () => {
    const { url, stop } = await startListening({ auth: AUTH });
    const checks = {
      documented,
      live: 'httpchk HEAD /health/live',
      // Without a method, HAProxy sends OPTIONS.
      options: 'httpchk /health/ready',
      other: 'httpchk GET /graphql',
    };
    const { statuses } = await startHaproxy(new URL(url).port, checks);
    const up = { documented: 'UP L7OK', live: 'UP L7OK', options: 'UP L7OK' };
    await expect.poll(statuses).toEqual({ ...up, other: 'DOWN L7STS' });
    await stop();
    const down = 'DOWN L4CON';
    await expect.poll(statuses).toEqual({ documented: down, live: down, options: down, other: down });
  },
);

test.skipIf(haproxy === undefined)(
  `no request fails while servers behind HAProxy restart one after the other${skipped}`,
  async () => {
    const databaseUrl = emptyDatabaseUrl();
    const servers = [await startListening({ databaseUrl }), await startListening({ databaseUrl })];
    const [first, second] = servers.map(({ url }) => Number(new URL(url).port));
    const port = await freePort();
    const configuration = backend
      .replace('10.0.0.1:4000', `127.0.0.1:${first}`)
      .replace('10.0.0.2:4000', `127.0.0.1:${second}`);
    runHaproxy(`frontend f\n  bind 127.0.0.1:${port}\n  default_backend parley\n${configuration}`);
    const body = JSON.stringify({ query: 'mutation { createChat(input: {}) { __typename } }' });
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
    const create = async () => (await fetch(`http://127.0.0.1:${port}/graphql`, init)).status;
    await expect.poll(() => create().catch(() => 0)).toBe(200);
    for (const [n, stopping] of servers.entries()) {
      await stopping.stop();
      // Before the next check of the stopped server.
      for (let request = 0; request < 6; request++) expect(await create()).toBe(200);
      if (n === 0) await startListening({ databaseUrl, port: first! });
    }
  },
);
