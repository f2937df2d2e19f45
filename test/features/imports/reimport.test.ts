import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { updateChat } from '../../../src/conversation/chats.js';
import { btw, switchBranch } from '../../../src/conversation/branches/rewind.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import { databaseKind } from '../../support/database/database-kind.js';
import { databaseForEach } from '../../support/database/database-scope.js';
import { conversation, message, nodeOf } from './readers/chatgpt-export.js';
import { importContent, onlyChat } from './imported-chats.js';
import { exportFrom, importTo } from '../exports/run-export.js';

const database = databaseForEach();
afterEach(async () => {
  // Logs are the same on every database.
  if (databaseKind === 'sqlite') await expectRecognised();
});

/** The export of an import has the same chats. */
async function expectRecognised(): Promise<void> {
  const path = join(database.folder, 'exported.jsonl');
  await exportFrom(database.url, path);
  const { code, out } = await importTo(database.url, path);
  expect([code, out[0]]).toEqual([
    0,
    expect.stringMatching(/^0 conversations imported .* 0 updated .* [1-9]\d* unchanged/),
  ]);
}

const viewer = { userId: 'local', isAdmin: false };
const BEFORE = ['(r)', 'a < r', 'b < a', 'c < a'];

/** Imports a conversation of one export, and reads the chat. */
async function importExport(nodes: string[], current: string, members: Record<string, unknown> = {}) {
  const report = await importContent(database, [conversation(nodes, { current_node: current, ...members })]);
  expect(report.failures.kept).toEqual([]);
  return { ...(await onlyChat(database)), report };
}

/** Adds a message in Parley. */
async function saveLocally(branch: string, id: string): Promise<void> {
  const { id: chatId } = await onlyChat(database);
  await saveMessages(database.store, viewer, {
    chatId,
    branch,
    messages: [{ id, name: 'user', content: { text: id } }],
  });
}

describe('a second import', () => {
  it('writes nothing if current_node is unknown, or if the new conversation is empty', async () => {
    await importExport(BEFORE, 'gone');
    await importContent(database, [conversation(['(r)'], { conversation_id: 'empty' })]);
    const before = await database.allRows();
    await importContent(database, [
      conversation(BEFORE, { current_node: 'gone' }),
      conversation(['(r)'], { conversation_id: 'empty' }),
    ]);
    expect(await database.allRows()).toEqual(before);
  });

  it('of a longer export adds only new messages, and main follows its leaf', async () => {
    const before = await importExport(BEFORE, 'c');
    const after = await importExport([...BEFORE, 'd < c', 'e < d'], 'e');
    expect(after.messages.slice(0, 3)).toEqual(before.messages);
    expect(after.tree).toEqual(['a', 'b < a', 'c < a', 'd < c', 'e < d']);
    expect(after.branches).toEqual({ main: 'e', 'main-v2': 'b' });
    expect(after.report.summary()[0]).toBe(
      '0 conversations imported (0 messages), 1 updated (2 new messages), 0 unchanged.',
    );
    expect(after.metadata.import['activeNode']).toBe('e');
  });

  it('extends a branch that ends where a new leaf begins', async () => {
    await importExport(BEFORE, 'c');
    const after = await importExport([...BEFORE, 'd < b', 'x < d', 'y < d'], 'c');
    expect(after.tree).toEqual(['a', 'b < a', 'c < a', 'd < b', 'x < d', 'y < d']);
    expect(after.branches).toEqual({ main: 'c', 'main-v2': 'x', 'main-v3': 'y' });
  });

  it('creates a branch for a new leaf elsewhere', async () => {
    await importExport(BEFORE, 'c');
    const after = await importExport([...BEFORE, 'd < a', 'root2'], 'c');
    expect(after.branches).toEqual({ main: 'c', 'main-v2': 'b', 'main-v3': 'd', 'main-v4': 'root2' });
  });

  it('moves main to a new leaf elsewhere, and keeps the old one on a new branch', async () => {
    await importExport(BEFORE, 'c');
    const after = await importExport([...BEFORE, 'd < a'], 'd');
    expect(after.branches).toEqual({ main: 'd', 'main-v2': 'b', 'main-v3': 'c' });
  });

  it('moves main to an existing leaf', async () => {
    await importExport(BEFORE, 'c');
    const after = await importExport(BEFORE, 'b');
    expect(after.branches).toEqual({ main: 'b', 'main-v2': 'b', 'main-v3': 'c' });
    const rows = await database.allRows();
    await importExport(BEFORE, 'b');
    expect(await database.allRows()).toEqual(rows);
  });

  it('keeps a leaf that is missing in the export on a new branch', async () => {
    await importExport(BEFORE, 'c');
    const after = await importExport(['(r)', 'a < r', 'd < a'], 'd');
    expect(after.branches).toEqual({ main: 'd', 'main-v2': 'b', 'main-v3': 'c' });
  });

  it('creates no branch for an old leaf that another branch or checkpoint references', async () => {
    await importExport(BEFORE, 'c');
    const after = await importExport([...BEFORE, 'd < c', 'e < a'], 'e');
    expect(after.branches).toEqual({ main: 'e', 'main-v2': 'b', 'main-v3': 'd' });
  });

  it('keeps main at an active node that is no leaf', async () => {
    await importExport(BEFORE, 'a');
    const after = await importExport([...BEFORE, 'd < a'], 'a');
    expect(after.branches).toEqual({ main: 'a', 'main-v2': 'b', 'main-v3': 'c', 'main-v4': 'd' });
  });

  it('keeps main if the user has continued in Parley', async () => {
    await importExport(BEFORE, 'c');
    await saveLocally('main', 'mine');
    const after = await importExport([...BEFORE, 'd < c'], 'd', { title: 'Renamed there' });
    expect(after.branches).toEqual({ main: 'mine', 'main-v2': 'b', 'main-v3': 'd' });
    expect([after.title, after.metadata.import['activeNode']]).toEqual(['Renamed there', 'c']);
    const rows = await database.allRows();
    await importExport([...BEFORE, 'd < c'], 'd', { title: 'Renamed there' });
    expect(await database.allRows()).toEqual(rows);
  });

  it('keeps the active branch of the user', async () => {
    const { id: chatId } = await importExport(BEFORE, 'c');
    await btw(database.store, viewer, { chatId, branchName: 'aside' });
    await switchBranch(database.store, viewer, { chatId, name: 'aside' });
    await saveLocally('aside', 'mine');
    const after = await importExport([...BEFORE, 'd < c'], 'd');
    expect(after.branches).toEqual({ main: 'd', 'main-v2': 'b', aside: 'mine' });
    expect(after.active).toBe('aside');
  });

  it('imports a title that changed in the source, unless it changed in Parley', async () => {
    const { id } = await importExport(BEFORE, 'c');
    expect((await importExport(BEFORE, 'c', { title: 'Second' })).title).toBe('Second');
    await updateChat(database.store, viewer, { id, title: 'Mine', metadataPatch: { starred: true } });
    const after = await importExport(BEFORE, 'c', { title: 'Third', update_time: 1700000200 });
    expect([after.title, after.metadata['starred']]).toEqual(['Mine', true]);
  });

  it('imports the update time, unless the chat was updated later', async () => {
    await importExport(BEFORE, 'c');
    expect((await importExport([...BEFORE, 'd < c'], 'd', { update_time: 1700000200 })).updatedAt).toBe(
      1_700_000_200_000,
    );
    await saveLocally('main', 'mine');
    const { updatedAt } = await onlyChat(database);
    expect((await importExport([...BEFORE, 'd < c', 'e < d'], 'e', { update_time: 1700000300 })).updatedAt).toBe(
      updatedAt,
    );
  });

  it('saves a changed message with the same id as a new version, and reports it', async () => {
    await importExport(['a', 'b < a'], 'b');
    const longer = conversation(['a', 'b < a', 'c < b'], { current_node: 'c' });
    nodeOf(longer, 'b').message = message('b', { content: { content_type: 'text', parts: ['all of b'] } });
    const report = await importContent(database, [longer]);
    expect(report.messages).toEqual({ imported: 0, updated: 2, changed: 1 });
    expect(report.summary().join()).toContain('2 new messages, 1 of them changed since; chat');
    const after = await onlyChat(database);
    expect(after.messages.map((each) => [each.node, each.parent, each.data.parts[0]?.text])).toEqual([
      ['a', null, 'text of a'],
      ['b', 'a', 'text of b'],
      ['b', 'a', 'all of b'],
      ['c', 'b', 'text of c'],
    ]);
    expect(after.messages[3]?.parentId).toBe(after.messages[2]?.id);
    expect(after.branches).toEqual({ main: 'c', 'main-v2': 'b' });

    const rows = await database.allRows();
    expect((await importContent(database, [longer])).conversations.unchanged).toBe(1);
    expect(await database.allRows()).toEqual(rows);
  });

  it('moves main to the new version of a changed leaf, and continues from it', async () => {
    await importExport(['a', 'b < a'], 'b');
    const changed = conversation(['a', 'b < a'], { current_node: 'b' });
    nodeOf(changed, 'b').message = message('b', { content: { content_type: 'text', parts: ['all of b'] } });
    await importContent(database, [changed]);
    const [, , version] = (await onlyChat(database)).messages;
    const { branches } = await database.allRows();
    expect(branches.find((branch) => branch.name === 'main')?.headMessageId).toBe(version?.id);
    changed.mapping['c'] = { id: 'c', message: message('c'), parent: 'b', children: [] };
    changed['current_node'] = 'c';
    await importContent(database, [changed]);
    expect((await onlyChat(database)).branches).toEqual({ main: 'c', 'main-v2': 'b' });
  });

  it('of an older export reverts nothing', async () => {
    await importExport([...BEFORE, 'd < c'], 'd', { update_time: 1700000200, title: 'Newer' });
    const rows = await database.allRows();
    await importExport(BEFORE, 'c', { update_time: 1700000100, title: 'Older' });
    expect(await database.allRows()).toEqual(rows);
  });

  it('adds new messages to a chat with replaced metadata, and leaves main unchanged', async () => {
    const { id } = await importExport(BEFORE, 'c');
    await updateChat(database.store, viewer, { id, metadata: {} });
    const rows = await database.allRows();
    await importExport(BEFORE, 'c');
    expect(await database.allRows()).toEqual(rows);
    const after = await importExport([...BEFORE, 'd < c'], 'd');
    expect(after.branches).toEqual({ main: 'c', 'main-v2': 'b', 'main-v3': 'd' });
  });

  it('adds a previously missing parent as a sibling, because saved messages never move', async () => {
    await importExport(['b < a'], 'b');
    const after = await importExport(['a', 'b < a', 'c < b', 'd < a'], 'b');
    expect(after.tree).toEqual(['b', 'a', 'c < b', 'd < a']);
    expect(after.branches).toEqual({ main: 'b', 'main-v2': 'd', 'main-v3': 'c' });
  });
});
