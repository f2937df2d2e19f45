/** The statements for SQL Server are valid T-SQL. */
import { createRequire } from 'node:module';
import type * as Adapter from '@prisma/adapter-mssql';
import { raw } from 'sql-template-tag';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { openSqlServer } from '../../../src/database/drivers/sqlserver.js';
import { parseDatabaseUrl, type ServerUrl } from '../../../src/database/connection/database-url.js';
import * as fullText from '../../../src/database/dialects/sqlserver/full-text.js';
import { check as checkMigrations } from '../../../src/features/migrations/migrator.js';
import { migrateSqlServer } from '../../../src/features/migrations/sqlserver.js';
import { chat } from '../../support/database/keyed-statements.js';
import { names, dialect } from './statement-arguments.js';
import { type Statement, migrations, faultsOf, expectSound, asSent } from './statement-faults.js';
import { ofFeatures, statements } from './dialect-statements.js';

/** Without those that this dialect lacks. */
const present = Object.entries(statements).filter(([name]) => dialect[name as keyof typeof dialect] !== null);

describe('SQL Server accepts every statement of its dialect', () => {
  it('and the list is complete', () => {
    const made = Object.entries(dialect).flatMap(([name, member]) => (typeof member === 'function' ? [name] : []));
    const shown = present.map(([name]) => name).filter((name) => name !== 'filterSteps' && !(name in ofFeatures));
    expect([...shown, 'failure', 'metadata'].sort()).toEqual(made.sort());
  });

  it.each(present)('%s', (_, forms) => expectSound(forms.map(asSent)));
});

/** A driver that records its statements, and returns empty results. */
const driver = vi.hoisted(() => {
  const sent: { text: string; values: Record<string, unknown> }[] = [];
  /** Operations other than statements, in order. */
  const steps: string[] = [];
  /** The rows of a statement that names `answered`. */
  const answer: object[] & { columns?: object } = [];
  const request = () => {
    const values: Record<string, unknown> = {};
    const send = async (text: string) => {
      sent.push({ text, values });
      steps.push(text);
      if (text.includes('refused')) throw new Error('refused');
      if (text.includes('[answered]')) return { recordset: answer, rowsAffected: [0] };
      return { recordset: [], rowsAffected: [0] };
    };
    const parameters: Record<string, object> = {};
    const made = {
      parameters,
      input(name: string, value: unknown) {
        values[name] = value;
        parameters[name] = {};
        return made;
      },
      query: send,
      batch: send,
      cancel: () => {},
    };
    return made;
  };
  const does = (step: string) => async () => void steps.push(step);
  const transaction = () => ({ begin: does('begin'), commit: does('commit'), rollback: does('rollback'), request });
  return {
    sent,
    steps,
    answer,
    pool: { request, transaction, close: does('close'), config: {}, pool: { on: () => {} } },
  };
});
vi.mock('@prisma/adapter-mssql', async (original) => {
  const { PrismaMssql } = await original<typeof Adapter>();
  return {
    PrismaMssql: class extends PrismaMssql {
      override connect = async () => ({ underlyingDriver: () => driver.pool }) as never;
    },
  };
});

describe('SQL Server accepts every statement', () => {
  const url = parseDatabaseUrl('sqlserver://host:1433;database=d;user=u;password=p;schema=parley') as ServerUrl;
  beforeEach(() => void driver.sent.splice(0));

  it('of the migrations and their bookkeeping', async () => {
    await migrateSqlServer(url);
    const texts = driver.sent.map((statement) => statement.text);
    for (const { sql } of migrations) expect(texts).toContain(sql.replaceAll('[dbo]', '[parley]'));
    for (const statement of fullText.createFullTextIndex('parley')) expect(texts).toContain(statement);
    expectSound(driver.sent);
  });

  it('of the check for applied migrations', async () => {
    const connection = await openSqlServer(url, {});
    await expect(checkMigrations(url, connection)).rejects.toThrow('it lacks the migrations');
    expectSound(driver.sent);
    await connection.close();
  });

  it('of a read, with its values as parameters', async () => {
    const { read, write, close } = await openSqlServer(url, {});
    driver.sent.splice(0);
    const [query, change] = [dialect.branchesByName(names[2]!), dialect.insertRows('chats', [chat])];
    await read((db) => db.rows(query));
    await write('c', (tx) => tx.run(change));
    await close();
    expect(driver.sent).toEqual([query, change].map(asSent));
  });

  it('and returns each BIGINT as a number', async () => {
    const requireOfAdapter = createRequire(createRequire(import.meta.url).resolve('@prisma/adapter-mssql'));
    const { BigInt, NVarChar } = requireOfAdapter('mssql') as Record<'BigInt' | 'NVarChar', object>;
    const columns = { at: { name: 'at', type: BigInt }, id: { name: 'id', type: NVarChar } };
    driver.answer.push({ at: '8796093022208', id: '12' }, { at: null, id: null });
    Object.defineProperty(driver.answer, 'columns', { value: columns });
    const { read, close } = await openSqlServer(url, {});
    const rows = await read((db) => db.rows(raw('SELECT [answered]')));
    await close();
    expect(rows).toEqual([
      { at: 2 ** 43, id: '12' },
      { at: null, id: null },
    ]);
  });

  it.each([
    ['none', 'commit'],
    ['the first', 'rollback'],
    ['the last', 'rollback'],
  ])('of a transaction in order, and ends it correctly when %s fails', async (which, ending) => {
    const { write, close } = await openSqlServer(url, {});
    driver.steps.splice(0);
    const statement = (name: string) => raw(name === which ? 'SELECT [refused]' : `SELECT [${name}]`);
    const work = write('c', async (tx) => {
      tx.runLast(statement('the last'));
      await tx.run(statement('the first'));
    });
    if (ending === 'rollback') await expect(work).rejects.toThrow('refused');
    else await work;
    await close();
    const sent = which === 'the first' ? ['the first'] : ['the first', 'the last'];
    expect(driver.steps).toEqual([
      'begin',
      ...sent.map((name) => statement(name).sql),
      ending,
      'close',
      'close',
      'close',
    ]);
  });

  it('of a new connection, and of one that responds slowly', async () => {
    const { read, close } = await openSqlServer(url, {});
    await read(() => expect.poll(() => driver.sent.map(({ text }) => text)).toContain('SELECT 1 AS one'));
    await close();
    expect(driver.sent.length).toBe(2);
    expectSound(driver.sent);
  });

  it.each(Object.entries(fullText))('%s', (_, make) => {
    expectSound([make('parley')].flat().map((text) => ({ text, values: {} })));
  });
});

describe('invalid statements are found', () => {
  it.each([
    ['a parenthesis that is not closed', 'SELECT COUNT(* AS [total] FROM [t]'],
    ['a parenthesis that is not open', 'SELECT [a] FROM [t])'],
    ['a comma too many', 'SELECT [a], FROM [t]'],
    ['a text without its end', "SELECT 'a FROM [t]"],
    ['LIMIT', 'SELECT [a] FROM [t] ORDER BY [a] LIMIT 5'],
    ['TOP without parentheses', 'SELECT TOP @P1 [a] FROM [t]'],
    ['OFFSET without an order', 'SELECT [a] FROM [t] OFFSET 5 ROWS'],
    ['ON CONFLICT', 'INSERT INTO [t] ([a]) VALUES (1) ON CONFLICT DO NOTHING'],
    ['RETURNING', 'INSERT INTO [t] ([a]) VALUES (1) RETURNING [a]'],
    ['FOR UPDATE', 'SELECT [a] FROM [t] WHERE [b] = 1 FOR UPDATE'],
    ['WITH RECURSIVE', 'WITH RECURSIVE w AS (SELECT 1 AS [a]) SELECT [a] FROM w'],
    ['LATERAL', 'SELECT [a] FROM [t] CROSS JOIN LATERAL (SELECT 1 AS [b]) x'],
    ['USING', 'SELECT [a] FROM [t] INNER JOIN [u] USING ([a])'],
    ['NULLS LAST', 'SELECT [a] FROM [t] ORDER BY [a] NULLS LAST'],
    ['a comparison of rows', 'SELECT [a] FROM [t] WHERE ([a], [b]) > (1, 2)'],
    ['a condition among the columns', 'SELECT [a] = 1, [b] IS NULL FROM [t]'],
    ['a column for a condition', 'SELECT [a] FROM [t] WHERE [b]'],
    ['a boolean', 'SELECT [a] FROM [t] WHERE [b] = true'],
    ['||', "SELECT [a] || 'b' AS [c] FROM [t]"],
    ['::', 'SELECT [a]::int FROM [t]'],
    ["another's parameter", 'SELECT [a] FROM [t] WHERE [b] = $1'],
    ["another's function", 'SELECT IFNULL([a], 0) AS [b] FROM [t]'],
    ['a function of later years', "SELECT STRING_AGG([a], ',') AS [b] FROM [t]"],
    ['an argument of later years', 'SELECT [a] FROM [t] WHERE ISJSON([a], OBJECT) = 1'],
    ['IS DISTINCT FROM', 'SELECT [a] FROM [t] WHERE [a] IS NOT DISTINCT FROM [b]'],
    ['WINDOW', 'SELECT SUM([a]) OVER w AS [b] FROM [t] WINDOW w AS (PARTITION BY [a])'],
    ['a table variable', 'DECLARE @keys TABLE ([id] NVARCHAR(255))'],
    ['WAITFOR', "WAITFOR DELAY '00:00:01'"],
    ['a reserved word for a name', 'SELECT k.end FROM [t] k'],
    ['a derived table without a name', 'SELECT [a] FROM (SELECT 1 AS [a])'],
    ['an ordered subquery', 'SELECT x.[a] FROM (SELECT [a] FROM [t] ORDER BY [a]) x'],
    ['mistakes in what is executed', "EXEC(N'CREATE SCHEMA IF NOT EXISTS [a]')"],
    ['a missing column', 'SELECT m.[chat] FROM [dbo].[messages] m'],
    ['a missing quoted column', 'SELECT "chat" FROM [dbo].[messages]'],
    ['a parameter without a value', 'SELECT [a] FROM [t] WHERE [b] = @P2'],
    ['a value without a parameter', 'SELECT [a] FROM [t]', { P1: 'a' }],
    ['half a number', 'SELECT [a] FROM [t] WHERE [b] = @P1', { P1: 0.5 }],
    ['too long a pattern', 'SELECT [a] FROM [t] WHERE [b] LIKE @P1', { P1: 'a'.repeat(4001) }],
  ])('%s', (_, text, values: Statement['values'] = {}) => expect(faultsOf({ text, values })).not.toEqual([]));

  const walk = (step: string, end = 'OPTION (MAXRECURSION 0)') =>
    `WITH w AS (SELECT m.[id] FROM [dbo].[messages] m UNION ALL SELECT ${step}) SELECT w.[id] FROM w ${end}`;
  it('with names for its columns is accepted, and errors in it are found', () => {
    const named = walk('w.[id] FROM w').replace('w AS', 'w([id]) AS');
    expect(faultsOf({ text: named, values: {} })).toEqual([]);
    expect(faultsOf({ text: named.replace('UNION ALL', 'UNION'), values: {} })).not.toEqual([]);
  });

  it.each([
    ['of 100 steps', walk('w.[id] FROM w', '')],
    ['with TOP', walk('TOP (1) w.[id] FROM w')],
    ['with an outer join', walk('w.[id] FROM w LEFT JOIN [dbo].[messages] p ON p.[parentId] = w.[id]')],
    ['with an aggregate', walk('MAX(w.[id]) FROM w')],
    ['that forks', walk('w.[id] FROM w INNER JOIN w v ON v.[id] = w.[id]')],
    ['joined by UNION', walk('w.[id] FROM w').replace('UNION ALL', 'UNION')],
  ])('a walk %s', (_, text) => {
    expect(faultsOf({ text: walk('w.[id] FROM w'), values: {} })).toEqual([]);
    expect(faultsOf({ text, values: {} })).not.toEqual([]);
  });
});
