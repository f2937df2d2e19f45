/** The actor of each change, which may differ from the owner. */
import { expect, it } from 'vitest';
import { schema } from '../../../src/server/schema.js';
import { startListening } from '../../support/server/listening-server.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { WEBHOOK } from '../../support/chats/belongings.js';
import { AUTH, bearer } from '../../support/server/tokens.js';

/** One call of each mutation, in an order in which each has an effect, and the types of its events. */
const CHANGES: [mutation: string, input: string, events: string[]][] = [
  ['createChat', 'id: "a"', ['ChatCreated', 'BranchCreated', 'BranchActivated']],
  ['upsertChat', 'id: "c", userId: "alice"', ['ChatCreated', 'BranchCreated', 'BranchActivated']],
  ['updateChat', 'chatId: "c", title: "updated"', ['ChatUpdated']],
  [
    'saveMessages',
    'chatId: "c", messages: [{ id: "m1", name: "user", content: { text: "1" } }, { id: "m2", name: "assistant", content: { text: "2" } }]',
    ['BranchHeadMoved'],
  ],
  ['startDraft', 'chatId: "c", id: "d1"', []],
  ['appendToDraft', 'chatId: "c", id: "d1", offset: 0, chunks: ["4"]', []],
  ['stopDraft', 'chatId: "c", id: "d1"', []],
  ['finishDraft', 'chatId: "c", id: "d1"', ['BranchHeadMoved']],
  ['startDraft', 'chatId: "c", id: "d2"', []],
  ['discardDraft', 'chatId: "c", id: "d2"', []],
  [
    'editMessage',
    'chatId: "c", messageId: "m2", content: { text: "3" }',
    ['BranchCreated', 'BranchHeadMoved', 'BranchActivated'],
  ],
  ['rewind', 'chatId: "c", at: { message: "m1" }', ['BranchCreated', 'BranchActivated']],
  ['btw', 'chatId: "c"', ['BranchCreated']],
  ['switchBranch', 'chatId: "c", name: "main"', ['BranchActivated']],
  ['createCheckpoint', 'chatId: "c", name: "here"', ['CheckpointSaved']],
  ['switchToSibling', 'chatId: "c", messageId: "m1"', ['BranchActivated']],
  ['restoreCheckpoint', 'chatId: "c", name: "here"', ['BranchCreated', 'BranchActivated']],
  ['deleteCheckpoint', 'chatId: "c", name: "here"', ['CheckpointDeleted']],
  ['renameBranch', 'chatId: "c", name: "main", newName: "trunk"', ['BranchRenamed']],
  ['deleteBranch', 'chatId: "c", name: "trunk"', ['BranchDeleted']],
  ['createShare', 'chatId: "c"', []],
  // The test knows its id from the row.
  ['revokeShare', 'id: "SHARE"', []],
  ['addMember', 'chatId: "c", userId: "carol", role: READER', ['MemberChanged']],
  ['removeMember', 'chatId: "c", userId: "carol"', ['MemberChanged']],
  ['transferChat', 'chatId: "c", userId: "bob"', ['ChatTransferred']],
  ['forkChat', 'chatId: "c", id: "fork"', ['ChatCreated', 'BranchCreated', 'BranchActivated', 'BranchHeadMoved']],
  ['deleteChat', 'chatId: "fork"', []],
  ['restoreChat', 'chatId: "fork"', ['ChatRestored']],
  ['deleteChat', 'chatId: "c"', []],
  ['replayWebhookDeliveries', 'webhook: "hook"', []],
  ['setLegalHold', 'userId: "bob", reason: "case 7"', []],
  ['liftLegalHold', 'userId: "bob"', []],
  ['setRetention', 'days: 30', []],
  ['setStorageQuota', 'userId: "bob", bytes: 1000', []],
  ['createAccessToken', 'name: "script"', []],
  ['revokeAccessToken', 'id: "TOKEN"', []],
];

it('every mutation records its actor', async () => {
  expect([...new Set(CHANGES.map(([mutation]) => mutation))].sort()).toEqual(
    Object.keys(schema.getMutationType()!.getFields()).sort(),
  );
  const { url, databaseUrl } = await startListening({ auth: AUTH, webhooks: [WEBHOOK], storageQuotaBytes: 1e9 });
  const headers = { 'content-type': 'application/json', ...(await bearer('auditor', true)) };
  const database = await rawDatabase(databaseUrl);
  let seen = 0;
  for (const [mutation, input, types] of CHANGES) {
    const [token] = await database.rows<{ id: string }>('SELECT "id" FROM access_tokens');
    const [share] = await database.rows<{ id: string }>('SELECT "id" FROM shares');
    const given = input.replace('TOKEN', token?.id ?? '').replace('SHARE', share?.id ?? '');
    const body = JSON.stringify({ query: `mutation { ${mutation}(input: { ${given} }) { __typename } }` });
    const answer = (await (await fetch(url, { method: 'POST', headers, body })).json()) as object;
    expect([mutation, JSON.stringify(answer)]).toEqual([mutation, expect.stringMatching(/Payload"/)]);
    const rows = await database.rows<{ type: string; actorId: string }>(
      'SELECT "type", "actorId" FROM chat_events ORDER BY "chatId", "seq" LIMIT -1 OFFSET ?',
      [seen],
    );
    seen += rows.length;
    expect([mutation, ...rows]).toEqual([mutation, ...types.map((type) => ({ type, actorId: 'auditor' }))]);
  }
  const deleted = await database.rows('SELECT "id", "userId", "actorId" FROM deleted_chats ORDER BY "id"');
  expect(deleted).toEqual([
    { id: 'c', userId: 'bob', actorId: 'auditor' },
    { id: 'fork', userId: 'auditor', actorId: 'auditor' },
  ]);
});
