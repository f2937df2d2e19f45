/** Connections to a SQL Server, from the requests that a protocol stand-in receives. */
import sql from 'sql-template-tag';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DatabaseUnavailableError } from '../../../src/conversation/errors.js';
import type { Connection } from '../../../src/database/connection/connection.js';
import { openSqlServer } from '../../../src/database/drivers/sqlserver.js';
import { sqlServerSettings } from '../../../src/database/drivers/sqlserver-settings.js';
import { parseDatabaseUrl, type ServerUrl } from '../../../src/database/connection/database-url.js';
import { tdsServer, type TdsServer } from '../../support/database/tds-server.js';

async function open(settings = ''): Promise<Connection & { server: TdsServer }> {
  const server = await tdsServer();
  const connection = await openSqlServer(parseDatabaseUrl(server.url + settings) as ServerUrl, {});
  onTestFinished(() => connection.close());
  return { ...connection, server };
}

const ask = ({ read }: Connection) => read((db) => db.rows(sql`SELECT 5`));
const change = ({ write }: Connection, key = 'c') => write(key, (tx) => tx.run(sql`UPDATE t SET n = 5`));

describe('a pool', () => {
  it('sends the requested statement and none before it', async () => {
    const connection = await open();
    await ask(connection);
    await ask(connection);
    await change(connection);
    expect(connection.server.asked.filter((text) => /SELECT 1\b/.test(text))).toEqual([]);
    expect(connection.server.asked.filter((text) => text.includes('SELECT 5')).length).toBe(2);
  });

  it('discards connections whose traffic is dropped, and replaces them', async () => {
    const connection = await open(';connectionLimit=4');
    await Promise.all([ask(connection), change(connection)]);
    connection.server.sleep();
    const lost = [...['a', 'b', 'c'].map((key) => change(connection, key)), ask(connection), ask(connection)];
    for (const outcome of await Promise.allSettled(lost)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(DatabaseUnavailableError) as unknown });
    }
    connection.server.wake();
    // Each pool has two connections, and all of them were lost.
    const found = [change(connection, 'a'), change(connection, 'b'), ask(connection), ask(connection)];
    expect((await Promise.allSettled(found)).map(({ status }) => status)).toEqual(found.map(() => 'fulfilled'));
  });

  it('pings with fixed time limits, regardless of the URL', async () => {
    const connection = await open(';socketTimeout=900000;loginTimeout=60000');
    await ask(connection);
    connection.server.sleep();
    connection.server.wake();
    // The old connections are lost, but the server is reachable: it answers a ping, and the pool waits for the
    // connections.
    const slow = Promise.allSettled([ask(connection)]);
    await expect.poll(() => connection.server.asked.some((text) => text.includes('SELECT 1 AS one'))).toBe(true);
    connection.server.sleep();
    expect(await slow).toMatchObject([{ status: 'rejected', reason: expect.any(DatabaseUnavailableError) as unknown }]);
  });
});

describe('settings of a connection', () => {
  const of = (given: string, fixed = {}) =>
    sqlServerSettings(
      { url: `sqlserver://db:1433;database=parley;password={a;socketTimeout=1}${given}` } as ServerUrl,
      fixed,
    )
      .split(';')
      .slice(4);

  it('are those of the URL under any name, with defaults', () => {
    expect(of('')).toEqual(['connectionTimeout=4000', 'socketTimeout=600000', 'applicationName=parley']);
    expect(of(';connectTimeout=9;application name=mine;')).toEqual([
      'connectTimeout=9',
      'application name=mine',
      'socketTimeout=600000',
    ]);
    expect(of(';loginTimeout=9;socketTimeout=8;applicationName=mine')).toEqual([
      'loginTimeout=9',
      'socketTimeout=8',
      'applicationName=mine',
    ]);
  });

  it('override the URL where they are fixed, and occur once', () => {
    const fixed = { connectionLimit: 1, connectionTimeout: 4000, socketTimeout: 4000 };
    expect(of(';connectionLimit=20;socketTimeout=9;connectTimeout=8;loginTimeout=7', fixed)).toEqual([
      'connectionTimeout=4000',
      'socketTimeout=4000',
      'applicationName=parley',
      'connectionLimit=1',
    ]);
  });
});
