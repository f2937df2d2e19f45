/** Forged rows never lead to another chat, and walks along them end. forged-rows.long.test.ts tries every reference. */
import type { GraphQLError } from 'graphql';
import { beforeEach, describe, expect, it } from 'vitest';
import { DamagedDataError } from '../../../src/conversation/errors.js';
import { tableAt } from '../../support/database/all-rows.js';
import { ask, belongingsOf, type Belongings } from '../../support/chats/belongings.js';
import { openParley, type Parley } from '../../support/server/parley.js';
import { damagingDatabase, type RawDatabase } from '../../support/database/raw-database.js';

let parley: Parley;
let database: RawDatabase;
let alice: Belongings;
let mallory: Belongings;
beforeEach(async () => {
  parley = await openParley();
  database = await damagingDatabase(parley.databaseUrl);
  [alice, mallory] = [await belongingsOf(parley, 'alice'), await belongingsOf(parley, 'mallory')];
});

const table = (name: string) => tableAt(parley.databaseUrl, name).sql;
const asMallory = (query: string) => ask(parley, 'mallory', query, mallory);

/** Links of a message of mallory: its depth and its references. */
function link(id: string, values: Record<string, string | number>): Promise<void> {
  const set = Object.entries(values).map(
    ([name, value]) => `"${name}" = ${typeof value === 'string' ? `'${value}'` : value}`,
  );
  return database.run(`UPDATE ${table('messages')} SET ${set.join(', ')} WHERE "id" = '${id}'`);
}

/** The messages of all logged errors. */
function damagedRows(): string[] {
  return parley.takeUnexpectedErrors().map((error) => {
    const { originalError } = error as GraphQLError;
    expect(originalError).toBeInstanceOf(DamagedDataError);
    return originalError!.message;
  });
}

/** A chain of further messages below the first one. */
async function continueChat(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, n) => `${mallory.chatId}-more-${n}`);
  const { text } = await ask(
    parley,
    'mallory',
    'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }',
    {
      input: {
        chatId: mallory.chatId,
        at: { message: mallory.messageId },
        branchName: 'long',
        messages: ids.map((id) => ({ id, name: 'user', content: { text: 'mallory says more' } })),
      },
    },
  );
  expect(text).toContain('SaveMessagesPayload');
  return ids;
}

const LOG = `query ($chatId: ID!) { chat(id: $chatId) { events { edges { node {
  ... on BranchCreated { branch { head { text } chat { userId title } } }
  ... on BranchHeadMoved { branch { name head { text } } }
  ... on CheckpointSaved { checkpoint { name message { text } chat { userId } } }
} } } } }`;

describe('a row that references another chat', () => {
  it('shows nothing of that chat in the log', async () => {
    const own = await asMallory(LOG);
    expect(own.text).toContain('mallory thinks again');
    for (const [type, member, foreign] of [
      ['BranchCreated', 'branchId', alice.branchId],
      ['BranchHeadMoved', 'branchId', alice.branchId],
      ['CheckpointSaved', 'checkpointId', alice.checkpointId],
    ]) {
      const payload = JSON.stringify({ [member!]: foreign, name: 'x', headId: null, firstSeq: 1, lastSeq: 1 });
      await database.run(
        `UPDATE ${table('chat_events')} SET "payload" = '${payload}' WHERE "chatId" = '${mallory.chatId}' AND "type" = '${type}'`,
      );
    }
    const { text, isRefused } = await asMallory(LOG);
    expect(isRefused).toBe(false);
    expect(text).not.toContain('alice');
    expect(text).not.toContain('mallory thinks again');
  });

  it('is a branch without a head', async () => {
    const heads = `query ($chatId: ID!) { chat(id: $chatId) { lastMessage { id }
      activeBranch { messageCount head { id depth } read: head { id text } } } }`;
    expect((await asMallory(heads)).data).toMatchObject({ chat: { activeBranch: { head: { depth: 1 } } } });
    await database.run(
      `UPDATE ${table('branches')} SET "headMessageId" = '${alice.messageId}' WHERE "chatId" = '${mallory.chatId}'`,
    );
    expect((await asMallory(heads)).data).toEqual({
      chat: { lastMessage: null, activeBranch: { messageCount: 0, head: null, read: null } },
    });
  });

  it('fails a page of a path, and only the log names the row', async () => {
    const query =
      'query ($otherMessageId: ID!) { message(id: $otherMessageId) { path(first: 1) { edges { node { text } } } } }';
    expect((await asMallory(query)).text).toContain('mallory asks');
    await link(mallory.otherMessageId, { jumpId: alice.messageId });
    const { text } = await asMallory(query);
    expect(text).toContain('INTERNAL_SERVER_ERROR');
    expect(text).not.toContain('alice');
    const [error] = damagedRows();
    expect(error).toContain(`Message "${mallory.otherMessageId}" of chat "${mallory.chatId}" (depth 1)`);
    expect(error).toContain(`its jump "${alice.messageId}" (not in this chat)`);
    expect(error).toContain('npm run check');
  });

  it('is not listed as a child in that chat', async () => {
    await link(mallory.otherMessageId, { parentId: alice.messageId });
    const { text } = await asMallory(
      'query ($otherMessageId: ID!) { message(id: $otherMessageId) { parent { text } siblings { text } chain { text } } }',
    );
    expect(text).not.toContain('alice asks');
    const there = await ask(
      parley,
      'alice',
      'query ($messageId: ID!) { message(id: $messageId) { children { totalCount } } }',
      alice,
    );
    expect(there.text).toContain('"totalCount":2');
  });
});

describe('cyclic links', () => {
  /** All fields that walk from a message to the root or to a leaf. */
  const walks = (id: string): Record<string, string> => ({
    'a page from the root': `{ message(id: "${id}") { path(first: 1) { edges { node { id } } } } }`,
    'a page around a message': `{ message(id: "${id}") { path(first: 1, around: "${mallory.messageId}") { edges { node { id } } } } }`,
    'a chain': `{ message(id: "${id}") { chain { id } } }`,
    'a chain of ids': `{ message(id: "${id}") { chain { id depth } latestLeaf { id } } }`,
    'the branches of a message': `{ message(id: "${mallory.messageId}") { branches { name } latestLeaf { id } } }`,
    'an answer to a lazy id': `mutation { saveMessages(input: { chatId: "${mallory.chatId}", branch: "long", messages: [
      { lazyId: LAST_ASSISTANT, name: "assistant", content: { text: "x" } }] }) { __typename } }`,
  });

  /** Each walk ends with a result or an error that names a message, and does not block other requests. */
  async function expectEnds(head: string): Promise<string[]> {
    for (const query of Object.values(walks(head))) {
      const [walked, other] = await Promise.all([
        asMallory(query),
        ask(parley, 'alice', 'query ($chatId: ID!) { chat(id: $chatId) { title } }', alice),
      ]);
      expect(other.text).toContain('alice title');
      expect(walked.text).not.toContain('alice');
    }
    return damagedRows();
  }

  it('end when two jumps reference each other', async () => {
    const ids = await continueChat(9);
    await link(ids[3]!, { jumpId: ids[7]! });
    await link(ids[7]!, { jumpId: ids[3]! });
    await link(ids[8]!, { jumpId: ids[7]! });
    const errors = await expectEnds(ids[8]!);
    expect(errors.join('\n')).toContain(`Message "${ids[3]}" of chat "${mallory.chatId}" (depth 4) is damaged`);
    expect(errors.join('\n')).toContain(`its jump "${ids[7]}" (depth 8)`);
  });

  it('end when a message references itself', async () => {
    const ids = await continueChat(9);
    for (const id of ids) await link(id, { jumpId: id });
    expect((await expectEnds(ids[8]!)).join('\n')).toContain(
      `Message "${ids[8]}" of chat "${mallory.chatId}" (depth 9)`,
    );
  });

  it('end when two messages are the parents of each other', async () => {
    const ids = await continueChat(9);
    await link(ids[3]!, { parentId: ids[4]!, siblingIndex: 9 });
    const errors = await expectEnds(ids[8]!);
    expect(errors.join('\n')).toContain(`Message "${ids[3]}" of chat "${mallory.chatId}" (depth 4) is damaged`);
  });

  it('end with forged depths as well', async () => {
    const ids = await continueChat(3);
    await link(ids[0]!, { parentId: ids[1]!, siblingIndex: 9, jumpId: ids[1]!, depth: 2_000_000_000 });
    await link(ids[1]!, { jumpId: ids[0]!, depth: 1_999_999_000 });
    await link(ids[2]!, { jumpId: ids[0]!, depth: 2_000_000_000 });
    await expectEnds(ids[1]!);
  });
});
