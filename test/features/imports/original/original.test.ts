/** Imports of SQLite databases of `@deepagents/context`. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { command as importCommand } from '../../../../src/features/imports/command.js';
import { runHere } from '../../../cli/run-here.js';
import { atDatabase, contentOf } from '../../../cli/database-content.js';
import { expectSoundDatabase } from '../../../support/database/sound-database.js';
import { temporaryFile } from '../../../support/temporary-folder.js';
import { ofPrisma, POSTGRESQL_TABLES, messageJson, T, TRIPS, type Content } from './original-fixture.js';
import { original, write } from './original-file.js';
import { importTo } from '../../exports/run-export.js';

const database = () => `file:${temporaryFile()}`;

/** A chat with one branch, and additional content. */
function odd(more: Partial<Content>): string {
  return original({ chats: [['odd', 'ada', null, null, T(0), T(0)]], ...more });
}

const OWN: Content['branches'] = [['odd-main', 'odd', 'main', 'm', true, T(0)]];
const M = (parentId: string | null, data = messageJson('m', 'user', 'Hm.')): Content['messages'] => [
  ['m', 'odd', parentId, 'user', 'message', data, T(1)],
];

const imageOf = (size: number) => Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(size, 7)]);
const withImage = (size: number) =>
  JSON.stringify({
    role: 'user',
    parts: [{ type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${imageOf(size).toString('base64')}` }],
  });

describe('a SQLite database of @deepagents/context', () => {
  it('is imported with its ids, owners, times, branches, heads and checkpoints', async () => {
    const url = database();
    const { code, out, error } = await importTo(url, original(TRIPS));
    expect({ code, error }).toEqual({ code: 0, error: [] });
    expect(out.slice(0, 2)).toEqual([
      '2 conversations imported (5 messages), 0 updated (0 new messages), 0 unchanged.',
      'Read as @deepagents/context.',
    ]);
    const { chats, messages, branches, checkpoints, events } = await contentOf(url);
    expect(chats).toMatchObject([
      { id: 'empty', userId: 'bob', title: null, metadata: '{}' },
      {
        id: 'trip',
        userId: 'ada',
        title: 'Trips',
        metadata: '{"n":1,"tags":["far"]}',
        createdAt: T(0),
        updatedAt: T(9),
      },
    ]);
    expect(messages.sort((a, b) => a.seq - b.seq)).toMatchObject(
      TRIPS.messages.map(([id, chatId, parentId, name, , data, createdAt]) => {
        return { id, chatId, parentId, name, type: 'message', data, createdAt };
      }),
    );
    const named = branches.map(({ id, name, headMessageId, isActive, createdAt }) => {
      return [id, name, headMessageId, Boolean(isActive), Number(createdAt)];
    });
    expect(named.sort()).toEqual([
      ['main-of-empty', 'main', null, true, T(1)],
      ['main-of-trip', 'main', 'a2', false, T(0)],
      ['v2-of-trip', 'main-v2', 'a3', true, T(5)],
    ]);
    expect(checkpoints).toMatchObject([{ id: 'rome', name: 'Rome', messageId: 'a1', createdAt: T(2) }]);
    expect(events.filter(({ chatId }) => chatId === 'trip').map(({ type }) => type)).toEqual([
      'ChatCreated',
      'BranchCreated',
      'BranchHeadMoved',
      'BranchHeadMoved',
      'CheckpointSaved',
      'BranchHeadMoved',
      'BranchCreated',
      'BranchActivated',
      'BranchHeadMoved',
    ]);
    await expectSoundDatabase(url);
  });

  it('with the tables of its Prisma schema is imported equally', async () => {
    const path = temporaryFile();
    // Prisma declares JSONB, BOOLEAN and BIGINT in SQLite, too.
    new Database(path).exec(ofPrisma(POSTGRESQL_TABLES)).close();
    write(path, TRIPS, ofPrisma);
    const [url, expected] = [database(), database()];
    expect(await importTo(url, path)).toEqual(await importTo(expected, original(TRIPS)));
    expect(await contentOf(url)).toEqual(await contentOf(expected));
  });

  it('of a version without owners belongs to the user local', async () => {
    const path = original(TRIPS);
    new Database(path).exec('ALTER TABLE chats DROP COLUMN userId').close();
    const url = database();
    expect((await importTo(url, path)).code).toBe(0);
    expect((await contentOf(url)).chats.map(({ userId }) => userId)).toEqual(['local', 'local']);
  });

  it.each<[what: string, statement: string, code: number]>([
    ['rowids that no number of JavaScript holds', 'UPDATE chats SET rowid = 9223372036854775000 + rowid', 0],
    ['the smallest rowid', 'UPDATE chats SET rowid = -9223372036854775808 WHERE rowid = 1', 0],
    ['a column with a name of the reader', 'ALTER TABLE chats ADD COLUMN place DEFAULT 1', 0],
    ['a column that is called rowid', 'ALTER TABLE chats ADD COLUMN rowid DEFAULT 1', 1],
    ['titles that are no texts', 'UPDATE chats SET title = 1.5', 0],
  ])('is read completely with %s', async (_, statement, code) => {
    const chats = Array.from({ length: 250 }, (_, n): Content['chats'][number] => [`${n}`, 'u', 't', null, T(n), T(n)]);
    const branches = chats.map(([id]): Content['branches'][number] => [`b${id}`, id, 'main', null, true, T(0)]);
    const path = original({ chats, branches });
    new Database(path).exec(statement).close();
    const url = database();
    expect((await importTo(url, path)).code).toBe(code);
    expect((await contentOf(url)).chats).toHaveLength(code === 0 ? 250 : 0);
  });

  it('is imported for the user of --user, and its file is unchanged', async () => {
    const [url, path] = [database(), original(TRIPS)];
    const before = readFileSync(path);
    expect(await importTo(url, path, '--user', 'eve')).toMatchObject({ code: 0 });
    const { chats, events } = await contentOf(url);
    const people = [...chats.map(({ userId }) => userId), ...events.map(({ actorId }) => actorId)];
    expect(new Set(people)).toEqual(new Set(['eve']));
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('adds new rows when it is imported repeatedly', async () => {
    const [url, path] = [database(), original({})];
    const { chats, messages, branches, checkpoints } = TRIPS;
    const trips = chats.slice(0, 1);
    write(path, { chats: trips, branches: [['main-of-trip', 'trip', 'main', null, true, T(0)]] });
    const results = [await importTo(url, path, '--json')];
    const set = (statement: string) => new Database(path).exec(statement).close();
    for (const message of messages) {
      write(path, { messages: [message] });
      const head = message[0] === 'a3' ? 'v2-of-trip' : 'main-of-trip';
      if (message[0] === 'a3') {
        set('UPDATE branches SET isActive = 0');
        write(path, { branches: branches.slice(1, 2) });
      }
      set(`UPDATE branches SET headMessageId = '${message[0]}' WHERE id = '${head}'`);
      // Those of one time were saved at once.
      if (message[0] === 'q2') continue;
      if (message[0] === 'a1') write(path, { checkpoints });
      results.push(await importTo(url, path, '--json'));
    }
    results.push(await importTo(url, path, '--json'));
    const read = results.map(({ out }) => JSON.parse(out.join('\n')) as { conversations: { result: string }[] });
    expect(read.map(({ conversations }) => conversations[0]?.result)).toEqual([
      'imported',
      ...['updated', 'updated', 'updated', 'updated', 'unchanged'],
    ]);
    const fresh = database();
    await importTo(fresh, path);
    expect(await contentOf(url)).toEqual(await contentOf(fresh));
    await expectSoundDatabase(url);
  });

  it('keeps a chat that has continued on both sides, and reports it', async () => {
    const [url, path] = [database(), original(TRIPS)];
    await importTo(url, path);
    await atDatabase(url, ({ store }) =>
      store.change('trip', 'ada', async (_, change) => change.updateChat({ title: 'Mine', metadata: '{}' })),
    );
    write(path, { checkpoints: [['late', 'trip', 'Late', 'a2', T(20)]] });
    const { code, out } = await importTo(url, path);
    expect(code).toBe(1);
    expect(out.join('\n')).toContain('chat 1 ("Trips"): the chat has changed differently here: it was left unchanged');
  });

  it.each<[string, () => string, string]>([
    [
      'a parent of another chat',
      () => odd({ messages: M('elsewhere'), branches: OWN }),
      'the parent of message "m" is in no',
    ],
    [
      'a head of another chat',
      () => odd({ branches: OWN }),
      'the head of branch "main" is in no message of the chat: "m"',
    ],
    [
      'a checkpoint of another chat',
      () => odd({ branches: [['b', 'odd', 'main', null, true, T(0)]], checkpoints: [['c', 'odd', 'C', 'x', T(0)]] }),
      'the message of checkpoint "C" is in no message of the chat: "x"',
    ],
    [
      'no active branch',
      () => odd({ messages: M(null), branches: [['b', 'odd', 'main', 'm', false, T(0)]] }),
      'no branch of it is active: "main" is now',
    ],
    [
      'two active branches',
      () => odd({ messages: M(null), branches: [...OWN, ['b', 'odd', 'two', 'm', true, T(1)]] }),
      'more than one branch of it is active: "main" is now',
    ],
    ['no branch', () => odd({ messages: M(null) }), 'it has no branch: main leads to its newest message'],
    [
      'a message of more than 1 MiB',
      () => odd({ messages: M(null, messageJson('m', 'user', 'x'.repeat(2 ** 20))), branches: OWN }),
      'message "m" was replaced by a placeholder: a message must have at most 1048576 bytes',
    ],
    [
      'characters that cannot be stored',
      () => odd({ messages: M(null, '{"role":"user","parts":[{"type":"text","text":"\\u0000"}]}'), branches: OWN }),
      'message "m" had characters that cannot be stored',
    ],
    [
      'a title that is too long',
      () => original({ chats: [['odd', 'ada', 'x'.repeat(300), null, T(0), T(0)]] }),
      'its title was changed',
    ],
  ])('with %s is repaired, with a warning', async (_, make, warning) => {
    const url = database();
    const { code, out, error } = await importTo(url, make());
    expect({ code, error }).toEqual({ code: 0, error: [] });
    expect(out.join('\n')).toContain(warning);
    await expectSoundDatabase(url);
  });

  it.each<[string, Partial<Content>, string]>([
    ['whose parents form a cycle', { messages: M('m') }, 'message "m" is its own ancestor'],
    ['with data that are no JSON', { messages: M(null, '{') }, 'the data of message "m" is no JSON'],
    ['with an invalid id', { branches: [['', 'odd', 'main', null, true, T(0)]] }, 'branch 1 has no usable id'],
  ])('is read without a chat %s', async (_, content, reason) => {
    const url = database();
    const path = odd(content);
    write(path, TRIPS);
    const { code, out, error } = await importTo(url, path);
    expect({ code, error }).toEqual({ code: 1, error: [] });
    expect(out.join('\n')).toContain(`chat 1: ${reason}`);
    expect((await contentOf(url)).chats.map(({ id }) => id)).toEqual(['empty', 'trip']);
  });

  it('has its long data URLs stored as files, also of a message of more than 1 MiB, and only once', async () => {
    const url = database();
    const path = odd({ branches: OWN, messages: M(null, withImage(1024 ** 2)) });
    const { code, out } = await importTo(url, path);
    expect([code, out.join('\n')]).toEqual([0, expect.not.stringContaining('Warnings')]);
    const reference = `parley:file:${createHash('sha256')
      .update(imageOf(1024 ** 2))
      .digest('hex')}`;
    const before = await contentOf(url);
    expect(before.messages.map(({ data }) => JSON.parse(String(data)) as unknown)).toEqual([
      { role: 'user', parts: [{ type: 'file', mediaType: 'image/png', url: reference }] },
    ]);
    expect((await importTo(url, path)).out[0]).toContain('1 unchanged');
    expect(await contentOf(url)).toEqual(before);
  });

  it('is unchanged by an import after an earlier one that kept data URLs', async () => {
    const url = database();
    const path = odd({ branches: OWN, messages: M(null, withImage(10_000)) });
    const environment = { DATABASE_URL: url, MIGRATE_ON_START: 'true', MAX_FILE_BYTES: '5000' };
    const first = await runHere('import', importCommand, [path], { environment });
    expect(first.out.join('\n')).toContain('1 of its files is not stored');
    const before = await contentOf(url);
    expect(before.messages.map(({ data }) => data)).toEqual([withImage(10_000)]);
    expect((await importTo(url, path)).out[0]).toContain('1 unchanged');
    expect(await contentOf(url)).toEqual(before);
  });

  it('is refused if it is damaged, of another program, or of Parley', async () => {
    const [cut, other, own] = [temporaryFile(), temporaryFile(), temporaryFile()];
    writeFileSync(cut, readFileSync(original(TRIPS)).subarray(0, 9000));
    new Database(other).exec('CREATE TABLE chats (id TEXT)').close();
    await importTo(`file:${own}`, original(TRIPS));
    const refusal = async (path: string) => {
      const { code, out, error } = await importTo(database(), path);
      return { code, out, error: error.join('\n').replaceAll(path, 'FILE') };
    };
    const failed = (error: string) => ({ code: 1, out: [], error });
    expect(await refusal(cut)).toEqual(failed('The database FILE cannot be read: database disk image is malformed'));
    expect(await refusal(other)).toEqual(
      failed('FILE is no database of @deepagents/context: it has no table messages, branches, checkpoints'),
    );
    expect(await refusal(own)).toEqual(
      failed('FILE is a database of Parley: npm run copy copies it, npm run export exports chats'),
    );
  });
});
