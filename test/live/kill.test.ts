/** SIGKILL at any moment: what the server acknowledged is there, what it did not is there whole or not at all. */
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { CreateChat, SaveMessages } from '../support/operations.js';
import { startServer, type ServerProcess } from '../support/server-process.js';
import { temporaryDatabaseUrl } from '../support/temporary-database.js';
import { conversationOf, type StoredConversation } from './stored-conversation.js';
import { Workload, type Acknowledged } from './workload.js';

const CHATS = ['one', 'two', 'three', 'four'];
const CLIENTS = 8;
/** After so many answers of a process it is killed. The last is the longest run: the file has a lot to lose by then. */
const KILL_AFTER = [50, 120, 260];

it('a server killed under load with SIGKILL loses nothing that it acknowledged', async () => {
  const settings = { DATABASE_URL: temporaryDatabaseUrl() };
  const acknowledged: Acknowledged[] = [];
  let server = await startServer(settings);
  for (const id of CHATS) await server.run(CreateChat, { input: { id } });

  for (const [round, killAfter] of KILL_AFTER.entries()) {
    const workload = new Workload(server, `r${round}`, killAfter);
    await Promise.all(Array.from({ length: CLIENTS }, (_, n) => workload.client(n, CHATS[n % CHATS.length]!)));
    expect((await server.exited).signal).toBe('SIGKILL');
    expect(workload.acknowledged.length).toBeGreaterThanOrEqual(killAfter);
    acknowledged.push(...workload.acknowledged);
    checkFile(settings.DATABASE_URL);

    server = await startServer(settings);
    const before = await conversations(server);
    for (const ack of acknowledged) expectKept(before[ack.chatId]!, ack);

    // A save that was cut off is there whole or not at all, and the client that repeats it cannot tell which.
    for (const { chatId, branch, messages } of workload.unansweredSaves) {
      const there = messages.filter(({ id }) => before[chatId]!.messageIds.includes(id));
      expect([0, messages.length]).toContain(there.length);
      for (let attempt = 0; attempt < 2; attempt++) {
        const { saveMessages } = await server.run(SaveMessages, {
          input: { chatId, branch, messages, onConflict: 'REJECT' },
        });
        expect(saveMessages).toMatchObject({
          __typename: 'SaveMessagesPayload',
          branched: false,
          messages: messages.map(({ id }) => ({ id })),
        });
      }
      acknowledged.push({ kind: 'saved', chatId, branch, messageIds: messages.map(({ id }) => id), version: 0 });
    }
    const after = await conversations(server);
    for (const ack of acknowledged) expectKept(after[ack.chatId]!, ack);
    for (const { messageIds, texts } of Object.values(after)) {
      expect(new Set(messageIds).size).toBe(messageIds.length);
      // Every message was sent with a text of its own, so a text that is there twice was saved twice.
      expect(new Set(texts).size).toBe(texts.length);
    }
  }
}, 120_000);

async function conversations(server: ServerProcess): Promise<Record<string, StoredConversation>> {
  return Object.fromEntries(
    await Promise.all(CHATS.map(async (chatId) => [chatId, await conversationOf(server, chatId)] as const)),
  );
}

function expectKept({ chains, version, activeAt, checkpoints }: StoredConversation, ack: Acknowledged): void {
  expect(version).toBeGreaterThanOrEqual(ack.version);
  if (ack.kind === 'bookmarked') {
    expect(checkpoints.get(ack.name)).toBe(ack.messageId);
    return;
  }
  // The heads only move forward here, so whatever was on a branch is on it still, and in the same order.
  const chain = chains.get(ack.branch)!;
  const start = chain.indexOf(ack.messageIds[0]!);
  expect(start).toBeGreaterThanOrEqual(0);
  expect(chain.slice(start, start + ack.messageIds.length)).toEqual(ack.messageIds);
  if (ack.kind === 'activated') expect(activeAt(ack.version)).toBe(ack.branch);
}

/** Looks into the file as the dead process has left it. Opened for writing, since the log may have to be recovered. */
function checkFile(databaseUrl: string): void {
  const database = new Database(databaseUrl.slice('file:'.length), { fileMustExist: true });
  try {
    expect(database.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    expect(database.pragma('foreign_key_check')).toEqual([]);
  } finally {
    database.close();
  }
}
