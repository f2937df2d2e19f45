/** Imports of PostgreSQL databases of `@deepagents/context`. */
import pg from 'pg';
import { inject, onTestFinished, expect, it } from 'vitest';
import { contentOf } from '../../../cli/database-content.js';
import { expectSoundDatabase } from '../../../support/database/sound-database.js';
import { temporaryFile } from '../../../support/temporary-folder.js';
import { insertions, ofPrisma, POSTGRESQL_TABLES, TRIPS } from './original-fixture.js';
import { importTo } from '../../exports/run-export.js';

async function original(named: (statement: string) => string): Promise<string> {
  const url = new URL(inject('serverUrl'));
  url.searchParams.delete('schema');
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  const schema = `Original ${process.pid}`;
  await client.query(`CREATE SCHEMA "${schema}"; SET search_path = "${schema}"; ${named(POSTGRESQL_TABLES)}`);
  onTestFinished(async () => {
    await client.query(`DROP SCHEMA "${schema}" CASCADE`);
    await client.end();
  });
  for (const { text, values } of insertions(TRIPS)) {
    let n = 0;
    await client.query(
      named(text).replaceAll('?', () => `$${++n}`),
      values,
    );
  }
  url.searchParams.set('schema', schema);
  return url.href;
}

it.each([
  ['@deepagents/context', (statement: string) => statement],
  ['its Prisma schema', ofPrisma],
])('imports the chats of a PostgreSQL database of %s unchanged', async (_, named) => {
  const [from, url] = [await original(named), `file:${temporaryFile()}`];
  const { code, out, error } = await importTo(url, '--from', from);
  expect({ code, out, error }).toMatchObject({ code: 0, error: [] });
  expect(out[0]).toBe('2 conversations imported (5 messages), 0 updated (0 new messages), 0 unchanged.');
  const { chats, branches, checkpoints } = await contentOf(url);
  expect(chats.map(({ id, userId, title }) => [id, userId, title])).toEqual([
    ['empty', 'bob', null],
    ['trip', 'ada', 'Trips'],
  ]);
  expect(branches.map(({ id, headMessageId, isActive }) => [id, headMessageId, isActive]).sort()).toEqual([
    ['main-of-empty', null, true],
    ['main-of-trip', 'a2', false],
    ['v2-of-trip', 'a3', true],
  ]);
  expect(checkpoints).toMatchObject([{ id: 'rome', messageId: 'a1' }]);
  await expectSoundDatabase(url);
  const again = await importTo(url, '--from', from);
  expect(again.out[0]).toBe('0 conversations imported (0 messages), 0 updated (0 new messages), 2 unchanged.');
});

it('reports why a database cannot be read, without its password', async () => {
  const url = `file:${temporaryFile()}`;
  const refused = async (from: string) => {
    const { code, out, error } = await importTo(url, '--from', from);
    expect({ code, out }).toEqual({ code: 1, out: [] });
    expect(error.join()).not.toContain('secret');
    return error.join('\n');
  };
  expect(await refused('postgresql://me:secret@127.0.0.1:1/x')).toMatch(/^The database to read from cannot be read: /);
  expect(await refused('mysql://me:secret@127.0.0.1/x')).toContain('must be a URL that begins with postgresql://');
  expect(await refused('sqlserver://x;user=me;password=secret')).toMatch(/postgresql:\/\/.*SQL Server must be copied/);
  expect(await refused('secret')).toBe('--from is no URL of a database');
  const none = new URL(inject('serverUrl'));
  none.searchParams.set('schema', 'not there');
  expect(await refused(none.href)).toContain(
    'The schema "not there" of the database is no database of @deepagents/context',
  );
});
