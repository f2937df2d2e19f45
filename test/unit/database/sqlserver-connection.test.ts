/** The limits of statements on SQL Server, from the requests that a protocol stand-in receives. */
import sql from 'sql-template-tag';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { TimeoutError } from '../../../src/conversation/errors.js';
import type { Connection, ConnectionOptions, Provider } from '../../../src/database/connection/connection.js';
import { openSqlServer } from '../../../src/database/drivers/sqlserver.js';
import { openDatabase } from '../../../src/database/opening/open.js';
import { sqlserver } from '../../../src/database/dialects/sqlserver/sqlserver.js';
import { parseDatabaseUrl, type ServerUrl } from '../../../src/database/connection/database-url.js';
import { rowOf } from '../../support/database/row-of.js';
import { tdsServer, type TdsServer } from '../../support/database/tds-server.js';

async function open(options: ConnectionOptions = {}): Promise<Provider & { server: TdsServer }> {
  const server = await tdsServer();
  const connection = await openSqlServer(parseDatabaseUrl(`${server.url};connectionLimit=4`) as ServerUrl, options);
  onTestFinished(() => connection.close());
  return { ...connection, server };
}

const BLOCKED = sql`SELECT blocked`;
const FREE = sql`SELECT free`;

describe('blocked reads', () => {
  it('are cancelled when their operations are aborted, and free their connections', async () => {
    const { server, read } = await open();
    server.hold(/blocked/);
    const operations = Array.from({ length: 6 }, () => new AbortController());
    const reads = operations.map(({ signal }, n) => read((db) => db.rows(BLOCKED), { userId: `u${n}`, signal }));
    await expect.poll(() => server.asked.filter((text) => text.includes('blocked')).length).toBe(2);
    for (const operation of operations) operation.abort();
    const [first, second, ...waiting] = await Promise.allSettled(reads);
    for (const outcome of [first, second]) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(TimeoutError) as unknown });
    }
    for (const outcome of waiting) expect(outcome).toMatchObject({ reason: { name: 'AbortError' } });
    expect(server.cancelled).toBe(2);
    expect(await read((db) => db.rows(FREE))).toEqual([]);
  });

  it('end after the timeout of reads without an abort', async () => {
    const { server, read } = await open({ statementTimeouts: { readMs: 200, writeMs: 60_000 } });
    server.hold(/blocked/);
    await expect(read((db) => db.rows(BLOCKED))).rejects.toThrow(TimeoutError);
    expect(server.cancelled).toBe(1);
  });

  it('leave a connection to health checks', async () => {
    const { server, read, probe } = await open();
    server.hold(/blocked/);
    const operation = new AbortController();
    const caller = { userId: 'u', signal: operation.signal };
    const reads = Promise.allSettled([1, 2, 3].map(() => read((db) => db.rows(BLOCKED), caller)));
    expect(await probe((db) => db.rows(FREE))).toEqual([]);
    operation.abort();
    await reads;
  });
});

describe('a change', () => {
  const change = ({ write }: Connection, statement = FREE) => write('c', (tx) => tx.run(statement));

  it('waits for a lock as long as a change may take, and a read without a limit', async () => {
    const connection = await open({ statementTimeouts: { readMs: 30_500, writeMs: 60_500 } });
    await change(connection);
    expect(connection.server.asked.filter((text) => text.includes('set lock_timeout 60500')).length).toBe(1);
    await connection.read((db) => db.rows(FREE));
    expect(connection.server.asked.at(-2)).toContain('set lock_timeout -1');
  });

  it('counts changed rows, for any default of the server', async () => {
    const connection = await open();
    await change(connection);
    expect(connection.server.asked.filter((text) => text.includes('set lock_timeout')).length).toBeGreaterThan(0);
    for (const text of connection.server.asked.filter((each) => each.includes('set lock_timeout'))) {
      expect(text).toContain('set nocount off');
    }
  });

  it('ends after its own timeout', async () => {
    const connection = await open({ statementTimeouts: { readMs: 60_000, writeMs: 200 } });
    connection.server.hold(/blocked/);
    await expect(change(connection, BLOCKED)).rejects.toThrow(TimeoutError);
  });

  it.each([
    ['commit', FREE],
    [/failing/, sql`UPDATE failing`],
  ] as const)('that fails in %s leaves no open transaction in the pool', async (failing, statement) => {
    const connection = await open();
    await change(connection);
    connection.server.refuse(failing, 3930);
    await expect(change(connection, statement)).rejects.toThrow('refused');
    const used = connection.server.connections.at(-1);
    await change(connection, sql`UPDATE next`).catch(() => {});
    const next = connection.server.asked.findIndex((text) => text.includes('next'));
    const isOther = connection.server.connections[next] !== used;
    expect(isOther).toBe(failing === 'commit');
  });
});

describe('a database', () => {
  async function openLogging(server: TdsServer) {
    const lines: string[] = [];
    const url = `${server.url};connectionLimit=4`;
    const database = await openDatabase({ url, isChecked: true, log: (line) => lines.push(line) });
    onTestFinished(() => database.store.close());
    return { ...database, lines };
  }

  it.each([
    [0, [expect.stringContaining('READ_COMMITTED_SNAPSHOT is off')]],
    [1, []],
  ])('with READ_COMMITTED_SNAPSHOT = %i has the warnings %j in the log and for readiness', async (isOn, warnings) => {
    const server = await tdsServer();
    server.answer(/is_read_committed_snapshot_on/, 'isOn', isOn);
    const { lines, obstacles } = await openLogging(server);
    expect(lines).toEqual(warnings);
    expect(await obstacles()).toMatchObject({ warnings });
  });

  const search = {
    ...{ query: 'word', userId: 'u', chatIds: null, names: null, createdAfter: null, createdBefore: null },
    ...{ first: 10, after: null },
  };
  const searchesOf = ({ asked }: TdsServer) => asked.filter((text) => text.includes('DATALENGTH(d.[terms])'));

  it.each([7601, 7699, 30046, 30053])('is searched without a full-text index that fails with %i', async (number) => {
    const server = await tdsServer();
    const { lines, reads } = await openLogging(server);
    server.refuse(/CONTAINSTABLE/, number);
    for (let n = 0; n < 2; n++) expect(await reads.hits(search)).toEqual({ rows: [], hasNextPage: false });
    expect(searchesOf(server).map((text) => text.includes('CONTAINSTABLE'))).toEqual([true, false, false]);
    expect(lines).toEqual([expect.stringContaining('full-text index failed, so searches read all texts: refused')]);
  });

  it('is searched with a failed full-text index again after a minute', async () => {
    const server = await tdsServer();
    const { reads } = await openLogging(server);
    server.refuse(/CONTAINSTABLE/, 7699);
    await reads.hits(search);
    const now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 60_000);
    onTestFinished(() => clock.mockRestore());
    await reads.hits(search);
    expect(searchesOf(server).map((text) => text.includes('CONTAINSTABLE'))).toEqual([true, false, true, false]);
  });

  it('fails a search that fails for another reason', async () => {
    const server = await tdsServer();
    const { lines, reads } = await openLogging(server);
    server.refuse(/CONTAINSTABLE/, 8134);
    await expect(reads.hits(search)).rejects.toThrow('refused');
    expect([searchesOf(server).length, lines]).toEqual([1, []]);
  });
});

it('declares short and long texts with the same type', async () => {
  const { server, read } = await open();
  for (const text of ['', 'a', 'b'.repeat(4_000), null]) await read((db) => db.rows(sql`SELECT ${text} AS found`));
  await read((db) => db.rows(sql`SELECT ${'c'.repeat(4_001)} AS found`));
  const declared = server.asked.flatMap((text) => /@P1 (nvarchar\(\w+\))/.exec(text)?.[1] ?? []);
  expect(declared).toEqual([...Array<string>(4).fill('nvarchar(4000)'), 'nvarchar(max)']);
});

it('sends any list as a text of unlimited length, with escaped texts, numbers and nulls', () => {
  const messages = ['a', 'two\n"lines"'].map((preview, n) => ({ ...rowOf('messages'), preview, seq: n }));
  const dialect = sqlserver('dbo', { hasFullTextIndex: false });
  const { values } = dialect.insert('messages', [...messages, { ...rowOf('messages'), preview: null }] as never);
  const lists = values.map(String).filter((value) => value.startsWith('['));
  expect(lists.map((list) => list.length > 4_000)).not.toContain(false);
  expect(lists.join()).toContain('two~0a~22lines~22');
});
