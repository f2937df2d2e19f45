/** Filters of titles look up words, which servers write in the background. */
import sql from 'sql-template-tag';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createChat, updateChat } from '../../src/conversation/chats.js';
import { deleteChat } from '../../src/features/deletion/delete-chat.js';
import { addMember } from '../../src/features/members/members.js';
import { WHOLE_LIST } from '../../src/conversation/paging.js';
import type { ChatFilter } from '../../src/conversation/reads.js';
import type { Connection, Queryable } from '../../src/database/connection/connection.js';
import { createReads } from '../../src/database/reading/reads.js';
import { indexTitles } from '../../src/database/writing/index-titles.js';
import { bringSearchUpToDate } from '../../src/database/writing/search-index.js';
import { parseQuery } from '../../src/search/query.js';
import { VIEWER } from '../support/chats/large-chats.js';
import { tableAt } from '../support/database/all-rows.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/database/temporary-database.js';
import { endingIn } from '../support/database/watched-connection.js';

let database: TemporaryDatabase;
beforeEach(async () => {
  database = await temporaryDatabase();
});
afterEach(() => database.remove());

const TITLES = { shoes: 'Running shoes', run: 'A run in the Café', ramen: '東京のラーメン', none: null };

async function create(titles: Record<string, string | null>): Promise<void> {
  for (const [id, title] of Object.entries(titles)) await createChat(database.store, VIEWER, { id, title });
}

/** The ids of a filter, and the number of rows that its statements returned. */
async function find(title: string, filter: Partial<ChatFilter> = {}) {
  let rows = 0;
  const counting = (db: Queryable): Queryable => ({
    ...db,
    rows: async <T extends object>(statement: Parameters<Queryable['rows']>[0]) => {
      const found = await db.rows<T>(statement);
      rows += found.length;
      return found;
    },
  });
  const { connection } = database;
  const reads = createReads({
    ...connection,
    read: (work, ...rest) => connection.read((db) => work(counting(db)), ...rest),
  });
  const wanted = { userId: null, metadata: [], ...filter, title: parseQuery(title) };
  const page = await reads.chatPage(wanted, { ...WHOLE_LIST, first: 2_000 });
  return { ids: page.rows.map(({ id }) => id).sort(), rows };
}

const found = async (...args: Parameters<typeof find>) => (await find(...args)).ids;

const words = () =>
  database.connection.read(async (db) => {
    const table = tableAt(database.url, 'chat_title_words');
    const rows = await db.rows<{ word: string }>(sql`SELECT "word" AS "word" FROM ${table} ORDER BY "word"`);
    return rows.map(({ word }) => word);
  });

describe('a filter', () => {
  it('finds the same chats with and without stored words', async () => {
    const expected = {
      'shoe RUNS': ['shoes'],
      runs: ['run', 'shoes'],
      'run*': ['run', 'shoes'],
      'running*': ['shoes'],
      cafe: ['run'],
      '"run in"': ['run'],
      '"in run"': [],
      'run -cafe': ['shoes'],
      ラーメン: ['ramen'],
      '東*': ['ramen'],
      tram: [],
      'tram*': [],
      '...': [],
    };
    const all = async () => {
      const answers = Object.keys(expected).map(async (title) => [title, await found(title)]);
      return Object.fromEntries(await Promise.all(answers)) as typeof expected;
    };
    await create(TITLES);
    expect(await all()).toEqual(expected);
    await indexTitles(database.connection);
    expect(await all()).toEqual(expected);
  });

  it('reads only titles that have all of its words', async () => {
    await create({ ...TITLES, other: 'Running away', another: 'Blue shoes' });
    await indexTitles(database.connection);
    expect(await find('tram')).toEqual({ ids: [], rows: 0 });
    expect(await find('shoes tram')).toMatchObject({ ids: [], rows: 2 });
    expect(await find('running shoes')).toMatchObject({ ids: ['shoes'] });
    expect((await find('running shoes')).rows).toBeLessThan((await find('-tram run*')).rows);
  });

  it('combines words with owners, members and times', async () => {
    await create({ mine: 'Running shoes' });
    for (const id of ['theirs', 'shared'])
      await createChat(database.store, { ...VIEWER, userId: 'them' }, { id, title: 'shoes' });
    await addMember(database.store, { ...VIEWER, userId: 'them' }, { chatId: 'shared', userId: 'me', role: 'READER' });
    await indexTitles(database.connection);
    expect(await found('shoes')).toEqual(['mine', 'shared', 'theirs']);
    expect(await found('shoes', { userId: 'them' })).toEqual(['shared', 'theirs']);
    expect(await found('shoes', { userId: 'me' })).toEqual([]);
    expect(await found('shoes', { userId: 'me', includeShared: true })).toEqual(['shared']);
    expect(await found('shoes', { userId: 'them', includeShared: true })).toEqual(['shared', 'theirs']);
    expect(await found('shoes', { chatId: 'theirs' })).toEqual(['theirs']);
    expect(await found('shoes', { updatedBefore: 1 })).toEqual([]);
  });

  it('reads the list for a word of more than 1,000 titles, or while so many titles have no words', async () => {
    const ids = Array.from({ length: 1_001 }, (_, n) => `c${String(n).padStart(4, '0')}`);
    const { connection } = database;
    const at = { metadata: '{}', createdAt: 1, updatedAt: 1, version: 0, usage: null, members: '[]' };
    await connection.write('fill', async (tx) => {
      for (const id of ids) {
        const title = id === 'c0500' ? 'shoes and trams' : 'shoes';
        await tx.run(connection.sql.insertRows('chats', [{ id, userId: 'u', title, ...at }]));
      }
    });
    expect(await found('shoes')).toEqual(ids);
    expect(await found('trams')).toEqual(['c0500']);
    await connection.write('fill', async (tx) => {
      await tx.run(
        connection.sql.insert(
          'chat_title_words',
          ids.map((chatId) => ({ chatId, word: 'shoe' })),
        ),
      );
      await tx.run(connection.sql.insert('chat_title_words', [{ chatId: 'c0500', word: 'tram' }]));
      await tx.run(sql`UPDATE ${tableAt(database.url, 'chats')} SET "indexedTitle" = "title"`);
    });
    expect(await found('shoes')).toEqual(ids);
    const { ids: few, rows } = await find('shoes trams');
    expect(few).toEqual(['c0500']);
    expect(rows).toBeLessThan(1_010);
  });
});

describe('the words of titles', () => {
  it('are written again after a title has changed, also by a server of an older version', async () => {
    await create({ c: 'Running shoes' });
    await indexTitles(database.connection);
    expect(await words()).toEqual(['run', 'running', 'shoe', 'shoes']);
    await updateChat(database.store, VIEWER, { id: 'c', title: 'Blue' });
    expect([await found('shoes'), await found('blue')]).toEqual([[], ['c']]);
    await indexTitles(database.connection);
    expect(await words()).toEqual(['blue']);
    // Only the column that it knows.
    await database.connection.write('c', (tx) =>
      tx.run(sql`UPDATE ${tableAt(database.url, 'chats')} SET "title" = 'Red'`),
    );
    expect([await found('blue'), await found('red')]).toEqual([[], ['c']]);
    await indexTitles(database.connection);
    expect(await words()).toEqual(['red']);
    await updateChat(database.store, VIEWER, { id: 'c', title: null });
    await indexTitles(database.connection);
    expect(await words()).toEqual([]);
  });

  it('are written after a process ended, and by concurrent processes', async () => {
    await create({ a: 'one', b: 'two', c: 'three' });
    await expect(indexTitles(endingIn(database.connection, 2))).rejects.toThrow('ended');
    expect(await words()).toEqual(['on', 'one']);
    await Promise.all(Array.from({ length: 3 }, () => indexTitles(database.connection)));
    expect(await words()).toEqual(['on', 'one', 'three', 'two']);
    await indexTitles(endingIn(database.connection, 1));
  });

  it('are deleted with their chat, and none are written for it', async () => {
    await create({ a: 'one', b: 'two' });
    const { connection } = database;
    const deleting: Connection = {
      ...connection,
      write: async (key, work) => {
        if (key === 'b') await connection.write(key, (tx) => tx.run(connection.sql.deleteChat('b')));
        return connection.write(key, work);
      },
    };
    await indexTitles(deleting);
    expect(await words()).toEqual(['on', 'one']);
    await deleteChat(database.store, VIEWER, 'a');
    expect(await found('one')).toEqual([]);
    await connection.write('a', (tx) => tx.run(connection.sql.deleteChat('a')));
    expect(await words()).toEqual([]);
  });

  it('are outdated under another analyzer', async () => {
    await create({ c: 'shoes' });
    const { connection } = database;
    await bringSearchUpToDate(connection);
    await indexTitles(connection);
    await connection.write('index', async (tx) => {
      await tx.run(sql`UPDATE ${tableAt(database.url, 'chat_title_words')} SET "word" = 'other' WHERE "word" = 'shoe'`);
      await tx.run(sql`UPDATE ${tableAt(database.url, 'search_index')} SET "analyzer" = 0`);
    });
    expect(await found('shoes')).toEqual([]);
    await bringSearchUpToDate(connection);
    expect(await found('shoes')).toEqual(['c']);
    await indexTitles(connection);
    expect(await words()).toEqual(['shoe', 'shoes']);
  });

  it('stay missing when the signal ends the call', async () => {
    await create({ a: 'one' });
    await indexTitles(database.connection, AbortSignal.abort());
    expect(await words()).toEqual([]);
  });
});
