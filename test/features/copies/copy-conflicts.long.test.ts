/** Targets that differ from a copy: nothing is changed, and every difference is reported. */
import sql, { raw } from 'sql-template-tag';
import { describe, expect, it } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { deleteChat } from '../../../src/features/deletion/delete-chat.js';
import { createCheckpoint } from '../../../src/conversation/branches/checkpoints.js';
import { rewind } from '../../../src/conversation/branches/rewind.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import type { ConversationStore } from '../../../src/conversation/store.js';
import { VIEWER, writeChain } from '../../support/chats/large-chats.js';
import { temporaryFile } from '../../support/temporary-folder.js';
import { atDatabase, changeRows, contentOf, ofChat } from '../../cli/database-content.js';
import { copyFromTo, SAME } from './run-copy.js';

const files = () => [`file:${temporaryFile()}`, `file:${temporaryFile()}`] as const;

/** The chats "a" and "z", and between them "c", with two rows in each table. */
async function writeChats(store: ConversationStore): Promise<void> {
  await writeChain(store, 'a', 3);
  await writeChain(store, 'c', 3);
  await rewind(store, VIEWER, { chatId: 'c', messageId: 'c-1', branchName: 'back' });
  await createCheckpoint(store, VIEWER, { chatId: 'c', name: 'one', messageId: 'c-0' });
  await createCheckpoint(store, VIEWER, { chatId: 'c', name: 'two', messageId: 'c-1' });
  await writeChain(store, 'z', 3);
}

/** Creates a copy, which tests then modify. */
async function copied(): Promise<{ from: string; to: string }> {
  const [from, to] = files();
  await atDatabase(from, ({ store }) => writeChats(store));
  expect(await copyFromTo(from, to)).toMatchObject({ code: 0 });
  return { from, to };
}

/** Changes one value of each column, and adds or deletes each kind of row. */
const CHANGES: [what: string, statement: string][] = [
  ...inRow('chats', `"id" = 'c'`, [
    ['userId', `'x'`],
    ['title', `''`],
    ['metadata', `'{"a":1}'`],
    ['createdAt', '1'],
    ['updatedAt', '1'],
  ]),
  ...inRow('messages', `"id" = 'c-1'`, [
    ['name', `'x'`],
    ['type', `'x'`],
    ['createdAt', '1'],
    ['depth', '7'],
  ]),
  ...inRow('messages', `"id" = 'c-2'`, [
    ['seq', '4'],
    ['parentId', `'c-0', "siblingIndex" = 1`],
    ['siblingIndex', '1'],
    ['jumpId', `'c-2'`],
    ['preview', `'x'`],
    ['data', `' "c-2"'`],
  ]),
  ...inRow('branches', `"chatId" = 'c' AND "name" = 'back'`, [
    ['name', `'x'`],
    ['seq', '99'],
    ['id', `'x'`],
  ]),
  ...inRow('branches', `"chatId" = 'c'`, [
    ['headMessageId', `'c-0'`],
    ['isActive', '0'],
    ['createdAt', '1'],
  ]),
  ...inRow('checkpoints', `"chatId" = 'c' AND "name" = 'one'`, [
    ['id', `'x'`],
    ['name', `'x'`],
    ['seq', '99'],
  ]),
  ...inRow('checkpoints', `"chatId" = 'c'`, [
    ['messageId', `'c-2'`],
    ['createdAt', '1'],
  ]),
  ...inRow('chat_events', `"chatId" = 'c' AND "seq" = 2`, [
    ['type', `'x'`],
    ['actorId', `'x'`],
    ['payload', `'{}'`],
    ['createdAt', '1'],
  ]),
  ['a branch less', `DELETE FROM branches WHERE "chatId" = 'c' AND "name" = 'back'`],
  [
    'a branch more',
    `INSERT INTO branches ("id", "chatId", "name", "isActive", "createdAt", "seq") VALUES ('x', 'c', 'x', 0, 1, 99)`,
  ],
  ['a checkpoint less', `DELETE FROM checkpoints WHERE "chatId" = 'c' AND "name" = 'one'`],
  ['an event less', `DELETE FROM chat_events WHERE "chatId" = 'c' AND "seq" = 2`],
];

/** Changes of the columns of one table, by name. */
function inRow(table: string, where: string, changes: [column: string, value: string][]): typeof CHANGES {
  return changes.map(([column, value]) => [
    `${table}.${column}`,
    `UPDATE ${table} SET "${column}" = ${value} WHERE ${where}`,
  ]);
}

describe('a chat that exists in the target', () => {
  it('is reported with a changed value in any column, a missing or an additional row', async () => {
    const { from, to } = await copied();
    const complaint = 'Chat "c" was not copied: the target has it with other content; it was left as it is';
    for (const [name, change] of CHANGES) {
      const copy = await contentOf(to);
      await changeRows(to, (tx) => tx.run(raw(change)));
      const tampered = await contentOf(to);
      expect([name, tampered]).not.toEqual([name, copy]);
      expect([name, await copyFromTo(from, to)]).toMatchObject([name, { code: 1, error: [complaint] }]);
      expect(await contentOf(to)).toEqual(tampered);
      // Undoes the change.
      await changeRows(to, (tx) => tx.run(sql`DELETE FROM chats WHERE "id" = 'c'`));
      expect(await copyFromTo(from, to)).toMatchObject({ code: 0, error: [] });
    }
  });

  it('is reported when a message is missing from the search index', async () => {
    const { from, to } = await copied();
    await changeRows(to, (tx) => tx.run(sql`DELETE FROM message_texts WHERE "messageId" = 'c-1'`));
    expect(await copyFromTo(from, to)).toMatchObject({
      code: 1,
      error: ['The databases have the same chats, but not the same number of rows.'],
    });
  });

  it('keeps its changes there, and the other chats are copied', async () => {
    const [from, to] = files();
    await atDatabase(from, ({ store }) => writeChats(store));
    await atDatabase(to, ({ store }) => writeChain(store, 'c', 1));
    const before = await contentOf(to);
    const { code, out, error } = await copyFromTo(from, to);
    expect({ code, error }).toEqual({
      code: 1,
      error: ['Chat "c" was not copied: the target has its version 4 and the source 8; it was left as it is'],
    });
    expect(out[0]).toBe('2 chats copied (6 messages), 0 there already.');
    expect(out).not.toContain(SAME);
    const [original, after] = [await contentOf(from), await contentOf(to)];
    expect(ofChat(after, 'c')).toEqual(ofChat(before, 'c'));
    for (const chatId of ['a', 'z']) expect(ofChat(after, chatId)).toEqual(ofChat(original, chatId));
  });

  it('is named if another chat has its messages', async () => {
    const [from, to] = files();
    await atDatabase(from, ({ store }) => writeChats(store));
    await atDatabase(to, async ({ store }) => {
      await createChat(store, VIEWER, { id: 'other' });
      const message = { id: 'c-2', name: 'user', type: 'message', content: { text: 'mine' } };
      await saveMessages(store, VIEWER, { chatId: 'other', messages: [message] });
    });
    const { code, error } = await copyFromTo(from, to);
    expect({ code, error }).toEqual({
      code: 1,
      error: [
        'Chat "c" was not copied: the target has another chat with this id, or with an id of its messages or branches',
        'In the target, and not in the source: 1 chat, "other".',
      ],
    });
    expect(ofChat(await contentOf(to), 'c')).toEqual(ofChat(await contentOf(from), 'none'));
  });
});

describe('chats that are missing in the source', () => {
  it('are named and kept', async () => {
    const { from, to } = await copied();
    await atDatabase(from, ({ store }) => deleteChat(store, VIEWER, 'a'));
    const before = await contentOf(to);
    expect(await copyFromTo(from, to)).toMatchObject({
      code: 1,
      error: ['In the target, and not in the source: 1 chat, "a".'],
    });
    expect(await contentOf(to)).toEqual(before);
  });

  it('are counted if they are many', async () => {
    const [from, to] = files();
    await atDatabase(from, () => Promise.resolve());
    await atDatabase(to, async ({ store }) => {
      for (let n = 10; n < 23; n++) await createChat(store, VIEWER, { id: `c${n}` });
    });
    const { error } = await copyFromTo(from, to);
    const named = Array.from({ length: 10 }, (_, n) => `"c${n + 10}"`).join(', ');
    expect(error).toEqual([`In the target, and not in the source: 13 chats, ${named} and 3 more.`]);
  });
});

describe('a target that rejects a chat', () => {
  it.each([
    ['refuses its last message', `SELECT RAISE(ABORT, 'no more of it')`, /: no more of it$/],
    [
      'keeps something else',
      `UPDATE messages SET "data" = '1' WHERE "id" = 'c-2'`,
      /: the rows read from the target differ from the written rows$/,
    ],
  ])('because it %s contains none of its rows, and all other chats', async (_, act, complaint) => {
    const [from, to] = files();
    await atDatabase(from, ({ store }) => writeChats(store));
    await changeRows(to, (tx) =>
      tx.run(raw(`CREATE TRIGGER fault AFTER INSERT ON messages WHEN new."id" = 'c-2' BEGIN ${act}; END`)),
    );
    const { code, error } = await copyFromTo(from, to);
    expect({ code, error }).toEqual({ code: 1, error: [expect.stringMatching(complaint)] });
    expect(error[0]).toMatch(/^Chat "c" was not copied: /);
    const [original, after] = [await contentOf(from), await contentOf(to)];
    expect(ofChat(after, 'c')).toEqual(ofChat(original, 'none'));
    for (const chatId of ['a', 'z']) expect(ofChat(after, chatId)).toEqual(ofChat(original, chatId));

    await changeRows(to, (tx) => tx.run(sql`DROP TRIGGER fault`));
    const again = await copyFromTo(from, to);
    expect([again.code, again.out[0]]).toEqual([0, '1 chat copied (3 messages), 2 there already.']);
  });
});
