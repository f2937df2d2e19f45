/** SIGKILL at any moment: acknowledged writes are kept, other writes are complete or missing. */
import { expect, it } from 'vitest';
import { startConfigured } from '../../support/server/configured-server.js';
import { isThorough } from '../../support/effort.js';
import type { HttpClient } from '../../support/server/http-client.js';
import { CreateChat, SaveMessages } from '../../support/chats/operations.js';
import { holdDatabase, rawDatabase } from '../../support/database/raw-database.js';
import { startServer } from '../../support/server/server-process.js';
import { expectSoundDatabase } from '../../support/database/sound-database.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';
import { conversationOf, type StoredConversation } from '../stored-conversation.js';
import { Workload, type Acknowledged, type RepeatableSave } from '../workload.js';

const CHATS = ['one', 'two', 'three', 'four'];

/** Runs the clients of a workload until all of them have ended. */
async function clients(workload: Workload, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, n) => workload.client(n, CHATS[n % CHATS.length]!)));
}

it('a server killed under load with SIGKILL keeps every acknowledged write', async () => {
  const CLIENTS = 8;
  /** Numbers of responses after which a process is killed. The last process runs longest and has the most to lose. */
  const KILL_AFTER = isThorough ? [50, 120, 260] : [90];
  const databaseUrl = temporaryDatabaseUrl();
  const acknowledged: Acknowledged[] = [];

  for (const [round, killAfter] of KILL_AFTER.entries()) {
    const server = await startServer({ DATABASE_URL: databaseUrl, MIGRATE_ON_START: 'true' });
    if (round === 0) for (const id of CHATS) await server.run(CreateChat, { input: { id } });
    const workload = new Workload(server, `r${round}`, killAfter);
    await clients(workload, CLIENTS);
    expect((await server.exited).signal).toBe('SIGKILL');
    expect(workload.acknowledged.length).toBeGreaterThanOrEqual(killAfter);
    acknowledged.push(...workload.acknowledged);
    await leftSound(databaseUrl);
    const next = await startConfigured({ DATABASE_URL: databaseUrl });
    await expectNothingLost(next, acknowledged, workload.unansweredSaves);
    await next.stop();
  }
});

if (isThorough) {
  it('another server on the same database continues, and 64 clients of both lose nothing', async () => {
    const databaseUrl = temporaryDatabaseUrl();
    const start = () => startServer({ DATABASE_URL: databaseUrl, MIGRATE_ON_START: 'true' });
    const [killed, surviving] = await Promise.all([start(), start()]);
    for (const id of CHATS) await surviving.run(CreateChat, { input: { id } });

    const [cutOff, continued] = [new Workload(killed, 'killed', 150), new Workload(surviving, 'lasting')];
    const untilKilled = async () => {
      await clients(cutOff, 32);
      expect((await killed.exited).signal).toBe('SIGKILL');
      continued.endAfter(64);
    };
    await Promise.all([untilKilled(), clients(continued, 32)]);

    expect(continued.unansweredSaves).toEqual([]);
    await leftSound(databaseUrl);
    const acknowledged = [...cutOff.acknowledged, ...continued.acknowledged];
    await expectNothingLost(surviving, acknowledged, cutOff.unansweredSaves);
    await expectNothingLost(await startConfigured({ DATABASE_URL: databaseUrl }), acknowledged, []);
  });
}

/** Expects all acknowledged writes, and repeats the interrupted saves. */
async function expectNothingLost(
  server: HttpClient,
  acknowledged: Acknowledged[],
  unansweredSaves: readonly RepeatableSave[],
): Promise<void> {
  const before = await conversations(server);
  for (const ack of acknowledged) expectKept(before[ack.chatId]!, ack);

  // An interrupted save is complete or missing; the client that repeats it cannot know which.
  for (const { chatId, branch, messages } of unansweredSaves) {
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
    // Every message has a unique text, so a duplicate text was saved twice.
    expect(new Set(texts).size).toBe(texts.length);
  }
}

async function conversations(server: HttpClient): Promise<Record<string, StoredConversation>> {
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
  // Heads only move forward here, so messages remain on their branch, in the same order.
  const chain = chains.get(ack.branch)!;
  const start = chain.indexOf(ack.messageIds[0]!);
  expect(start).toBeGreaterThanOrEqual(0);
  expect(chain.slice(start, start + ack.messageIds.length)).toEqual(ack.messageIds);
  if (ack.kind === 'activated') expect(activeAt(ack.version)).toBe(ack.branch);
}

/** Expects the database of the killed process to be sound. */
async function leftSound(databaseUrl: string): Promise<void> {
  // The sessions of a killed process end a moment later, and may still commit.
  await (await holdDatabase(databaseUrl)).release();
  if (databaseUrl.startsWith('file:')) {
    const file = await rawDatabase(databaseUrl);
    expect(await file.rows('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    expect(await file.rows('PRAGMA foreign_key_check')).toEqual([]);
  }
  await expectSoundDatabase(databaseUrl);
}
