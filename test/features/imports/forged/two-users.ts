/** A server with a chat of Alice; Bob imports files and then reads everything available to him. */
import { writeFileSync } from 'node:fs';
import { openSourceFile, type ReadFailure } from '@parley/interchange/server';
import { expect } from 'vitest';
import { deleteBranch, renameBranch } from '../../../../src/conversation/branches/branches.js';
import { createChat, updateChat } from '../../../../src/conversation/chats.js';
import { transferChat } from '../../../../src/features/members/members.js';
import { createCheckpoint, deleteCheckpoint } from '../../../../src/conversation/branches/checkpoints.js';
import { startDraft } from '../../../../src/features/drafts/start-draft.js';
import { btw, rewind } from '../../../../src/conversation/branches/rewind.js';
import { editMessage, saveMessages } from '../../../../src/conversation/saving/save.js';
import type { ConversationStore } from '../../../../src/conversation/store.js';
import type { ConversationReport } from '../../../../src/features/imports/conversations/import-report.js';
import { importFile } from '../../../../src/features/imports/import-file.js';
import { adopterOf } from '../../../../src/features/imports/parley/adopt-chat.js';
import { schema } from '../../../../src/server/schema.js';
import { atDatabase, contentOf, ofChat } from '../../../cli/database-content.js';
import { everything } from '../../../support/chats/id-arguments.js';
import { openStream } from '../../../support/server/event-stream.js';
import { startListening } from '../../../support/server/listening-server.js';
import { AUTH, bearer } from '../../../support/server/tokens.js';
import { temporaryFile } from '../../../support/temporary-folder.js';

/** Part of each text, title and name of Alice's chat, and of none of its ids. */
export const SECRET = 'Confidential';
export const ALICE = 'alice-user';
export const BOB = 'bob-user';

const LIMITS = {
  maxTokens: 100_000,
  maxDocumentLength: 10_000_000,
  maxAliases: 10_000,
  maxSelections: 10_000,
  costLimit: 1e12,
  rateLimitPerUser: 1e9,
};

export async function writeBeginning(
  store: ConversationStore,
  userId: string,
  chatId: string,
  text: string,
): Promise<void> {
  const viewer = { userId, isAdmin: true };
  await createChat(store, viewer, { id: chatId, title: `${text} title`, metadata: { text } });
  await updateChat(store, viewer, { id: chatId, title: `${text} new title` });
  await saveMessages(store, viewer, { chatId, messages: [message(`${chatId}-1`, text), message(`${chatId}-2`, text)] });
  await editMessage(store, viewer, { chatId, messageId: `${chatId}-2`, id: `${chatId}-3`, content: { text } });
  await btw(store, viewer, { chatId, messageId: `${chatId}-1`, branchName: 'aside' });
  await rewind(store, viewer, { chatId, messageId: `${chatId}-2`, branchName: `${text} branch` });
  for (const name of ['mark', 'second mark']) {
    await createCheckpoint(store, viewer, { chatId, name: `${text} ${name}`, messageId: `${chatId}-1` });
  }
}

/** Continues the chat, so that it has an event of each kind. */
export async function writeRest(store: ConversationStore, userId: string, chatId: string, text: string): Promise<void> {
  const viewer = { userId, isAdmin: true };
  await renameBranch(store, viewer, { chatId, name: 'main', newName: `${text} trunk` });
  await deleteBranch(store, viewer, { chatId, name: 'aside' });
  await deleteCheckpoint(store, viewer, { chatId, name: `${text} second mark` });
  for (const to of ['other-user', userId]) await transferChat(store, viewer, { id: chatId, userId: to });
  await saveMessages(store, viewer, { chatId, messages: [message(`${chatId}-4`, text), message(`${chatId}-5`, text)] });
}

function message(id: string, text: string) {
  return { id, name: 'user', content: { text: `${text} ${id}` } };
}

/** An id of Alice of each kind that a file may contain. */
export type ForeignIds = Record<'chat' | 'message' | 'root' | 'branch' | 'checkpoint' | 'draft', string>;

export interface TwoUsers {
  databaseUrl: string;
  foreign: ForeignIds;
  /** Imports lines as Bob, in this process. @returns the ids of the chats, their results, and the errors */
  importLines(lines: readonly object[]): Promise<{ chatIds: string[]; results: string[]; faults: string[] }>;
  ask(query: string, variables: object): Promise<string>;
  /** Reads all of a chat as Bob, and fails when anything of Alice is in it. */
  expectNothingOfAlice(chatId: string): Promise<void>;
  /** Fails when a row of Alice's chat is not as it was. */
  expectUnchanged(): Promise<void>;
}

export async function startTwoUsers(): Promise<TwoUsers> {
  const { url, databaseUrl } = await startListening({ auth: AUTH, limits: LIMITS, migrateOnStart: true });
  const chatId = 'alices';
  await atDatabase(databaseUrl, async ({ store }) => {
    await writeBeginning(store, ALICE, chatId, SECRET);
    await writeRest(store, ALICE, chatId, SECRET);
    const viewer = { userId: ALICE, isAdmin: false };
    await startDraft(store, viewer, { chatId, id: `${chatId}-draft`, name: `${SECRET} model` });
  });
  const rows = async () => ofChat(await contentOf(databaseUrl), chatId);
  const before = await rows();
  const headers = await bearer(BOB);
  const post = (body: string, more: Record<string, string> = {}) =>
    fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers, ...more }, body });
  const ask = async (query: string, variables: object) => (await post(JSON.stringify({ query, variables }))).text();
  const eventType = everything(schema, schema.getType('ChatEvent')!, 1);
  const headType = everything(schema, schema.getType('BranchHeadUpdate')!, 1);
  const query = wholeChat();
  return {
    databaseUrl,
    foreign: {
      chat: chatId,
      message: `${chatId}-5`,
      root: `${chatId}-1`,
      branch: before.branches.find(({ isActive }) => isActive)!.id,
      checkpoint: before.checkpoints[0]!.id,
      draft: `${chatId}-draft`,
    },
    ask,
    async importLines(lines) {
      const path = temporaryFile();
      writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      const read: (ConversationReport | ReadFailure)[] = [];
      const report = await atDatabase(databaseUrl, async ({ store, connection }) => {
        const file = await openSourceFile(path);
        const adopting = { adopt: adopterOf(connection), owner: BOB, actor: BOB };
        const onRead = (one: (typeof read)[number] | null) => void (one !== null && read.push(one));
        try {
          return await importFile(store, BOB, file, { adopting, onRead });
        } finally {
          await file.close();
        }
      });
      expect(report.databaseError).toBeNull();
      const imported = read.filter((one): one is ConversationReport => !('reason' in one));
      return {
        chatIds: imported.map(({ chatId }) => chatId),
        results: imported.map(({ result }) => result),
        faults: read.flatMap((one) => ('reason' in one ? [one.reason] : [])),
      };
    },
    async expectNothingOfAlice(id) {
      const answers = [await ask(query, { id })];
      expect(answers[0]).toContain('Chat_version');
      const { data } = JSON.parse(answers[0]!) as { data: { chat: { Chat_version: number } } };
      for (const [subscription, count] of [
        [`chatEvents(chatId: $id, after: 0) ${eventType}`, data.chat.Chat_version],
        [`branchHead(chatId: $id) ${headType}`, 1],
      ] as const) {
        const stream = await openStream({ post }, `subscription ($id: ID!) { ${subscription} }`, { id });
        answers.push(...(await stream.take(count)).map((answer) => JSON.stringify(answer)));
        await stream.leave();
      }
      for (const answer of answers) {
        expect(answer).not.toContain(SECRET);
        expect([answer, othersIn(answer)]).toEqual([answer, []]);
      }
    },
    expectUnchanged: async () => expect(await rows()).toEqual(before),
  };
}

/** Every field of a chat, of the members of its lists, and of their references. */
function wholeChat(): string {
  const of = (type: string, depth: number) => everything(schema, schema.getType(type)!, depth);
  const nodes = (list: string, type: string, depth: number) => `${list} { edges { node ${of(type, depth)} } }`;
  const walk =
    'messages { edges { node { path(first: 1) { edges { node { data createdBy chat { title userId } } } } } } }';
  return `query ($id: ID!) {
    chat(id: $id) ${of('Chat', 1)}
    lists: chat(id: $id) {
      ${nodes('messages', 'Message', 1)} ${nodes('branches', 'Branch', 1)} ${nodes('checkpoints', 'Checkpoint', 1)}
      ${nodes('events', 'ChatEvent', 2)}
    }
    walks: chat(id: $id) { ${walk} }
  }`;
}

/** The users other than Bob in an answer: owners, authors, actors, and users of transfers. */
function othersIn(answer: string): string[] {
  const users = answer.matchAll(/"\w+_(?:\w*[uU]serId|createdBy|actorId|startedBy)":"([^"]*)"/g);
  return [...users].flatMap(([, id]) => (id === BOB ? [] : id!));
}
