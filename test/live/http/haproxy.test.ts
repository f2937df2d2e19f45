/** HAProxy health checks of a server. By default they have no Host header. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../../deploy/manifests.js';
import { freePort } from '../../support/server/free-port.js';
import { haproxyPath, noHaproxy, startHaproxy } from '../../support/server/haproxy.js';
import { startListening } from '../../support/server/listening-server.js';
import { emptyDatabaseUrl } from '../../support/database/temporary-database.js';
import { AUTH } from '../../support/server/tokens.js';

/** The backend that docs/operations.md documents, and its check. */
const [backend = ''] =
  /^backend parley\n(?: .*\n)+/m.exec(readFileSync(join(PROJECT, 'docs/operations.md'), 'utf8')) ?? [];
const [, documented = ''] = /^ {2}option (httpchk .*)$/m.exec(backend) ?? [];

const DEFAULTS = ['mode http', ...['connect', 'client', 'server', 'check'].map((name) => `timeout ${name} 10m`)].join(
  '\n  ',
);

/**
 * Runs HAProxy until the end of the test. @param choice the line that chooses the backend of a request @param backends their lines
 * @returns its URL, and the statuses of its servers by name, such as "UP L7OK"
 */
async function startWithStatistics(choice: string, backends: string) {
  const url = `http://127.0.0.1:${await freePort()}`;
  const frontend = `bind ${new URL(url).host}\n  stats enable\n  stats uri /stats\n  ${choice}`;
  startHaproxy(`defaults\n  ${DEFAULTS}\nfrontend f\n  ${frontend}\n${backends}\n`);
  const statuses = async () => {
    const csv = await fetch(`${url}/stats;csv`).then(
      (response) => response.text(),
      () => '',
    );
    const [header = '', ...lines] = csv.trim().split('\n');
    const names = header.replace(/^# /, '').split(',');
    const rows = lines.map((line) => {
      const values = line.split(',');
      return (name: string) => values[names.indexOf(name)];
    });
    const servers = rows.filter((value) => !['FRONTEND', 'BACKEND'].includes(String(value('svname'))));
    return Object.fromEntries<string>(
      servers.map((value) => [
        String(value('svname')),
        `${value('status')} ${value('check_status')?.replace('* ', '')}`,
      ]),
    );
  };
  return { url, statuses };
}

test.skipIf(haproxyPath === undefined)(
  `HAProxy finds a server up with HTTP/1.0 checks, and down after it has stopped${noHaproxy}`,
  async () => {
    const { url, stop } = await startListening({ auth: AUTH });
    const checks = {
      documented,
      live: 'httpchk HEAD /health/live',
      // Without a method, HAProxy sends OPTIONS.
      options: 'httpchk /health/ready',
      other: 'httpchk GET /graphql',
    };
    const backends = Object.entries(checks).map(
      ([name, check]) => `
backend ${name}
  option ${check}
  server ${name} ${new URL(url).host} check inter 100ms fastinter 50ms fall 1 rise 1`,
    );
    const { statuses } = await startWithStatistics('use_backend %[path,field(2,/)]', backends.join('\n'));
    const up = { documented: 'UP L7OK', live: 'UP L7OK', options: 'UP L7OK' };
    await expect.poll(statuses).toEqual({ ...up, other: 'DOWN L7STS' });
    await stop();
    const down = 'DOWN L4CON';
    await expect.poll(statuses).toEqual({ documented: down, live: down, options: down, other: down });
  },
);

test.skipIf(haproxyPath === undefined)(
  `no request fails while servers behind HAProxy restart one after the other${noHaproxy}`,
  async () => {
    const databaseUrl = emptyDatabaseUrl();
    const servers = [await startListening({ databaseUrl }), await startListening({ databaseUrl })];
    const [first, second] = servers.map(({ url }) => Number(new URL(url).port));
    const { url, statuses } = await startWithStatistics(
      'default_backend parley',
      backend.replace('10.0.0.1:4000', `127.0.0.1:${first}`).replace('10.0.0.2:4000', `127.0.0.1:${second}`),
    );
    const body = JSON.stringify({ query: 'mutation { createChat(input: {}) { __typename } }' });
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
    const create = async () => (await fetch(`${url}/graphql`, init)).status;
    for (const [n, stopping] of servers.entries()) {
      // As docs/operations.md requires of a rolling restart.
      await expect.poll(statuses).toEqual({ 'parley-1': 'UP L7OK', 'parley-2': 'UP L7OK' });
      await stopping.stop();
      // Before the next check of the stopped server.
      for (let request = 0; request < 6; request++) expect(await create()).toBe(200);
      if (n === 0) await startListening({ databaseUrl, port: first! });
    }
  },
);
