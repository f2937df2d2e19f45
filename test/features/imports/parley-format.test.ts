/** Exports and imports in Parley's format. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sql from 'sql-template-tag';
import { describe, expect, it } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { eraseUser } from '../../../src/features/deletion/erasure.js';
import { transferChat } from '../../../src/features/members/members.js';
import { appendToDraft, stopDraft } from '../../../src/features/drafts/change-draft.js';
import { finishDraft } from '../../../src/features/drafts/finish-draft.js';
import { startDraft } from '../../../src/features/drafts/start-draft.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import { expectSoundDatabase } from '../../support/database/sound-database.js';
import { VIEWER } from '../../support/chats/large-chats.js';
import { openParley } from '../../support/server/parley.js';
import { temporaryFile } from '../../support/temporary-folder.js';
import { atDatabase, changeRows, contentOf } from '../../cli/database-content.js';
import { writeSampleChats } from '../../cli/sample-chats.js';
import { exportFrom, importTo } from '../exports/run-export.js';

const database = () => `file:${temporaryFile()}`;

/** All but drafts. */
async function kept(url: string) {
  const { drafts: _, pieces: __, ...rows } = await contentOf(url);
  return rows;
}

async function exported(url: string, ...args: string[]): Promise<string> {
  const path = `${temporaryFile()}.jsonl`;
  expect(await exportFrom(url, path, ...args)).toMatchObject({ code: 0, error: [] });
  return path;
}

/** Two chats of two messages. */
async function writeTwo(url: string): Promise<void> {
  await atDatabase(url, async ({ store }) => {
    for (const id of ['one', 'two']) {
      await createChat(store, VIEWER, { id, title: `Chat ${id}` });
      await saveText(store, id, `${id}-1`);
      await saveText(store, id, `${id}-2`);
    }
  });
}

function saveText(store: Parameters<typeof saveMessages>[0], chatId: string, id: string) {
  return saveMessages(store, VIEWER, {
    chatId,
    messages: [{ id, name: 'user', type: 'message', content: { text: id } }],
  });
}

describe('an export in the format of Parley', () => {
  it('restores an equal database when it is imported into an empty one', async () => {
    const [from, to] = [database(), database()];
    await writeSampleChats(from);
    // In place of U+0000, which no rule would write.
    const data = '{"parts":[{"type":"text","text":"spaced"}]}';
    await changeRows(from, (tx) => tx.run(sql`UPDATE "messages" SET "data" = ${data} WHERE "id" = 'odd-1'`));
    const result = await importTo(to, await exported(from));
    expect(result).toMatchObject({ code: 0, error: [] });
    expect(result.out[0]).toBe('7 conversations imported (1816 messages), 0 updated (0 new messages), 0 unchanged.');
    expect(await kept(to)).toEqual(await kept(from));
    await expectSoundDatabase(to);
  });

  it('becomes another chat where its own was deleted and can be restored', async () => {
    const url = database();
    await writeTwo(url);
    const path = await exported(url, '--chat', 'one');
    const { ask } = await openParley({ databaseUrl: url });
    await ask('mutation { deleteChat(input: { chatId: "one" }) { __typename } }');
    const result = await importTo(url, path);
    expect(result).toMatchObject({ code: 0, error: [] });
    expect(result.out[0]).toBe('1 conversation imported (2 messages), 0 updated (0 new messages), 0 unchanged.');
    const again = await importTo(url, path);
    expect(again.out[0]).toBe('0 conversations imported (0 messages), 0 updated (0 new messages), 1 unchanged.');
    const restored = await ask('mutation { restoreChat(input: { chatId: "one" }) { __typename } }');
    expect(restored).toEqual({ data: { restoreChat: { __typename: 'RestoreChatPayload' } } });
    const { chats } = await contentOf(url);
    expect(chats.map(({ title }) => title).sort()).toEqual(['Chat one', 'Chat one', 'Chat two']);
    await expectSoundDatabase(url);
  });

  it('can contain the longest text, and a finished draft with the largest metadata', async () => {
    const [from, to] = [database(), database()];
    // Each of these characters takes six bytes as JSON.
    const longestName = '\u0001'.repeat(255);
    const text = 'x'.repeat(1024 ** 2 - 2);
    await atDatabase(from, async ({ store }) => {
      await createChat(store, VIEWER, { id: 'large' });
      const message = { id: `1${longestName.slice(1)}`, name: longestName, type: 'message', content: { text } };
      await saveMessages(store, VIEWER, { chatId: 'large', messages: [message] });
      const key = { chatId: 'large', id: `2${longestName.slice(1)}` };
      const metadata = { note: 'x'.repeat(64 * 1024 - 11) };
      await startDraft(store, VIEWER, { ...key, name: longestName, metadata, parentId: message.id });
      for (const [offset, [delta]] of [...text.matchAll(/.{1,200000}/g)].entries()) {
        await appendToDraft(store, VIEWER, { ...key, offset, chunks: [{ type: 'text-delta', id: '1', delta }] });
      }
      await stopDraft(store, VIEWER, key);
      await finishDraft(store, VIEWER, key);
    });
    expect(await importTo(to, await exported(from))).toMatchObject({ code: 0, error: [] });
    expect(await kept(to)).toEqual(await kept(from));
  });

  it('changes nothing when it is imported again, and a newer one adds only new rows', async () => {
    const [from, to] = [database(), database()];
    await writeTwo(from);
    const path = await exported(from);
    await importTo(to, path);
    const before = await contentOf(to);
    expect((await importTo(to, path)).out[0]).toContain('0 updated (0 new messages), 2 unchanged');
    expect(await contentOf(to)).toEqual(before);

    await atDatabase(from, ({ store }) => saveText(store, 'two', 'two-3'));
    expect((await importTo(to, await exported(from))).out[0]).toBe(
      '0 conversations imported (0 messages), 1 updated (1 new message), 1 unchanged.',
    );
    expect(await kept(to)).toEqual(await kept(from));
    expect((await importTo(to, path)).out[0]).toContain('2 unchanged');
    expect(await kept(to)).toEqual(await kept(from));
  });

  it('keeps a chat that has continued differently, and reports it', async () => {
    const [from, to] = [database(), database()];
    await writeTwo(from);
    await importTo(to, await exported(from));
    await atDatabase(from, ({ store }) => saveText(store, 'two', 'there'));
    await atDatabase(to, ({ store }) => saveText(store, 'two', 'here'));
    const before = await contentOf(to);
    const { code, out } = await importTo(to, await exported(from));
    expect(code).toBe(1);
    expect(out.at(-1)).toContain('("Chat two"): the chat has changed differently here: it was left unchanged');
    expect(out.at(-1)).toContain('; message 3 is the first that differs');
    expect(await contentOf(to)).toEqual(before);
  });

  it.each([
    ['another message', '"two-1"', '"foreign"', 'message 1'],
    ['another parent', '"id":"two-2","parentId":"two-1"', '"id":"two-2","parentId":null', 'message 2'],
    ['another text', '"text":"two-1"', '"text":"Other"', 'message 1'],
    ['another name', '"parentId":null,"name":"user"', '"parentId":null,"name":"model"', 'message 1'],
    ['another author', '"createdBy":"u"', '"createdBy":"v"', 'message 1'],
    ['another actor', '"type":"BranchCreated","actorId":"u"', '"type":"BranchCreated","actorId":"v"', 'event 2'],
  ])('keeps a chat if an older row of the file has %s', async (_, part, other, row) => {
    const [from, to] = [database(), database()];
    await writeTwo(from);
    await importTo(to, await exported(from));
    await atDatabase(from, ({ store }) => saveText(store, 'two', 'two-3'));
    const before = await contentOf(to);
    const text = (await exportFrom(from, '--chat', 'two')).text;
    expect(text).toContain(part);
    const path = `${temporaryFile()}.jsonl`;
    writeFileSync(path, text.replaceAll(part, other));
    const { out } = await importTo(to, path);
    expect(out.at(-1)).toContain(`; ${row} is the first that differs`);
    expect(await contentOf(to)).toEqual(before);
  });

  it('recognises a chat after users were erased, in the database or in the file', async () => {
    const [here, there] = [database(), database()];
    await writeTwo(here);
    const bob = { userId: 'bob', isAdmin: true };
    await atDatabase(here, async ({ store }) => {
      await saveMessages(store, bob, { chatId: 'one', messages: [{ name: 'user', content: { text: 'of bob' } }] });
      await transferChat(store, bob, { id: 'one', userId: 'bob' });
      await transferChat(store, bob, { id: 'one', userId: 'u' });
    });
    const named = await exported(here);
    await importTo(there, named);
    await atDatabase(here, (db) => eraseUser(db.connection, 'bob'));
    const erased = await exported(here);
    expect(readFileSync(erased, 'utf8')).not.toContain('"bob"');
    for (const [to, path] of [
      [here, named],
      [there, erased],
    ] as const) {
      expect((await importTo(to, path)).out[0]).toContain('2 unchanged');
    }
  });

  it('is imported with other ids if its ids are taken, and with the same ones again', async () => {
    const url = database();
    await writeTwo(url);
    const path = await exported(url);
    expect((await importTo(url, path, '--user', 'other')).out[0]).toContain('2 conversations imported (4 messages)');
    expect((await importTo(url, path, '--user', 'other')).out[0]).toContain('2 unchanged');
    const { chats, messages } = await contentOf(url);
    expect(chats.map(({ userId }) => userId).sort()).toEqual(['other', 'other', 'u', 'u']);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(8);
    // The log of the copies names their own rows.
    expect((await importTo(url, await exported(url, '--user', 'other'))).out[0]).toContain('2 unchanged');
    await expectSoundDatabase(url);
  });

  it('has the requested chats', async () => {
    const url = database();
    await writeTwo(url);
    const ids = (text: string) => [...text.matchAll(/"chat":\{"id":"(\w+)"/g)].map(([, id]) => id);
    expect(ids((await exportFrom(url, '--chat', 'two')).text)).toEqual(['two']);
    expect(ids((await exportFrom(url, '--user', 'u')).text)).toEqual(['one', 'two']);
    expect(ids((await exportFrom(url, '--user', 'nobody')).text)).toEqual([]);
    expect(ids((await exportFrom(url, '--since', '2999-01-01')).text)).toEqual([]);
    expect(await exportFrom(url, '--chat', 'three')).toMatchObject({
      code: 1,
      error: ['There is no chat "three".'],
    });
  });

  it('can be a zip or a folder, which imports read', async () => {
    const [from, to] = [database(), database()];
    await writeTwo(from);
    const zip = `${temporaryFile()}.zip`;
    expect(await exportFrom(from, zip)).toMatchObject({ code: 0, error: [] });
    expect(await importTo(to, zip)).toMatchObject({ code: 0, error: [] });
    expect(await kept(to)).toEqual(await kept(from));

    const folder = `${temporaryFile()}/`;
    await exportFrom(from, folder);
    const names = readdirSync(folder).sort();
    expect(names).toEqual(['Chat-one.one.parley.jsonl', 'Chat-two.two.parley.jsonl']);
    for (const name of names) {
      expect((await importTo(to, join(folder, name))).out[0]).toContain('0 updated (0 new messages), 1 unchanged');
    }
    await atDatabase(from, ({ store }) => saveText(store, 'one', 'one-3'));
    expect((await exportFrom(from, folder)).out[0]).toBe('1 chat exported (3 messages), 1 there already, as Parley.');
  });

  it.each<[string, (lines: string[]) => string[], string]>([
    ['cut off', (lines) => lines.slice(0, 5), 'its end is missing: nothing of it was written'],
    [
      'marked as incomplete',
      (lines) => [...lines.slice(0, 5), '{"incomplete":"the token expired"}'],
      'its export was ended before its end',
    ],
    ['of another version', (lines) => lines.map((line) => line.replace('"parley":1', '"parley":9')), 'another version'],
    ['without a message', (lines) => lines.filter((line) => !line.includes('"id":"one-2"')), 'names a message that'],
    [
      'with a child before its parent',
      ([a = '', b = '', c = '', ...rest]) => [a, c, b, ...rest],
      'does not come before',
    ],
    ...(
      [
        ['of a later message', ['one-2'], 'source 1 of message 1 does not come before it: "one-2"'],
        ['that are no ids', [5], 'source 1 of message 1 is not usable: it must be a string'],
        ['that are no list', 'one-2', 'sourceIds of message 1 must be an array of at most 16 ids'],
        ['given twice', ['one-1', 'one-1'], 'source 2 of message 1 is not usable: it is given twice'],
      ] as const
    ).map(([kind, sourceIds, reason]): [string, (lines: string[]) => string[], string] => [
      `with sources ${kind}`,
      (lines) =>
        lines.map((line) => line.replace('{"id":"one-1"', `{"sourceIds":${JSON.stringify(sourceIds)},"id":"one-1"`)),
      reason,
    ]),
    [
      'with a made-up event',
      (lines) => lines.map((line) => line.replace('"BranchActivated"', '"Rm"')),
      'an unknown type',
    ],
    [
      'without a time',
      (lines) => lines.map((line) => line.replace(/"createdAt":"[^"]*"/, '"createdAt":5')),
      'no usable createdAt',
    ],
    ['with a line that is no JSON', ([a = '', ...rest]) => [a, '{"message":', ...rest], 'Could not read (1)'],
  ])('a chat %s is refused completely, and the next one is imported', async (_, broken, reason) => {
    const [from, to] = [database(), database()];
    await writeTwo(from);
    const lines = readFileSync(await exported(from), 'utf8')
      .trimEnd()
      .split('\n');
    const second = lines.findIndex((line) => line.includes('"chat":{"id":"two"'));
    const path = `${temporaryFile()}.jsonl`;
    writeFileSync(path, [...broken(lines.slice(0, second)), ...lines.slice(second)].join('\n'));
    const { code, out } = await importTo(to, path);
    expect(code).toBe(1);
    expect(out.join('\n')).toContain(reason);
    expect((await contentOf(to)).chats.map(({ id }) => id)).toEqual(['two']);
  });
});
