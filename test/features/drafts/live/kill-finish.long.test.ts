/** SIGKILL while drafts are finished: each becomes a message, or remains an unchanged draft. */
import { expect, it } from 'vitest';
import { holdDatabase, rawDatabase } from '../../../support/database/raw-database.js';
import { startServer, type ServerProcess } from '../../../support/server/server-process.js';
import { temporaryDatabaseUrl } from '../../../support/database/temporary-database.js';
import { chunkOf, textOf, type DraftKey } from './draft-writer.js';

/** Drafts of a round, spread over CHATS chats. */
const DRAFTS = 24;
const CHATS = 4;

/** Numbers of responses before the kill: the other requests are waiting, running, or mostly done. */
const KILL_AFTER = [0, 1, 2, 4, 7, 11, 16, 22];

/** Appended in several pieces. */
const CHUNKS = 20;
const PIECE = 10;

async function mutate(server: ServerProcess, field: string, type: string, input: object): Promise<unknown> {
  const saved = field === 'finishDraft' ? '... on SaveMessagesPayload { branched messages { id text } }' : '';
  const fields = `__typename ... on Error { message } ${saved}`;
  const { data, errors } = await server.post(`mutation ($input: ${type}!) { ${field}(input: $input) { ${fields} } }`, {
    input,
  });
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
  return data![field];
}

const finish = (server: ServerProcess, key: DraftKey) => mutate(server, 'finishDraft', 'FinishDraftInput', key);

it('a server that is killed while it finishes drafts leaves each as a message or as an unchanged draft', async () => {
  const databaseUrl = temporaryDatabaseUrl();
  const start = () => startServer({ DATABASE_URL: databaseUrl, MIGRATE_ON_START: 'true' });
  let server = await start();
  for (let n = 0; n < CHATS; n++) await mutate(server, 'createChat', 'CreateChatInput', { id: `chat-${n}` });

  let interrupted = 0;
  for (const [round, killAfter] of KILL_AFTER.entries()) {
    const keys = Array.from({ length: DRAFTS }, (_, n) => ({ chatId: `chat-${n % CHATS}`, id: `r${round}-${n}` }));
    await Promise.all(
      keys.map(async (key) => {
        await mutate(server, 'startDraft', 'StartDraftInput', { ...key, onConflict: 'APPEND' });
        for (let offset = 0; offset < CHUNKS; offset += PIECE) {
          const chunks = Array.from({ length: PIECE }, (_, k) => chunkOf(key, offset + k));
          await mutate(server, 'appendToDraft', 'AppendToDraftInput', { ...key, offset, chunks });
        }
      }),
    );

    const acknowledged: string[] = [];
    const kill = () => server.kill('SIGKILL');
    const finishing = keys.map(async (key) => {
      await finish(server, key);
      acknowledged.push(key.id);
      if (acknowledged.length === killAfter) kill();
    });
    if (killAfter === 0) kill();
    const outcomes = await Promise.allSettled(finishing);
    expect((await server.exited).signal).toBe('SIGKILL');
    interrupted += outcomes.filter(({ status }) => status === 'rejected').length;

    // The sessions of a killed process end a moment later, and may still commit.
    await (await holdDatabase(databaseUrl)).release();
    const database = await rawDatabase(databaseUrl);
    const messages = await database.rows<{ id: string }>('SELECT "id" FROM messages');
    const drafts = await database.rows<{ id: string; messageId: string | null; endedAt: unknown; length: number }>(
      'SELECT "id", "messageId", "endedAt", "length" FROM drafts',
    );
    const saved = new Set(messages.map(({ id }) => id));
    for (const { id } of keys) {
      const draft = drafts.find((each) => each.id === id)!;
      const isSaved = saved.has(id);
      expect({ id, messageId: draft.messageId, isOver: draft.endedAt !== null, length: draft.length }).toEqual({
        id,
        messageId: isSaved ? id : null,
        isOver: isSaved,
        length: CHUNKS,
      });
      if (acknowledged.includes(id)) expect(isSaved).toBe(true);
    }

    server = await start();
    // Clients without an answer repeat the request, and cannot know whether the first one succeeded.
    for (const key of keys) {
      expect(await finish(server, key)).toEqual({
        __typename: 'SaveMessagesPayload',
        branched: false,
        messages: [{ id: key.id, text: textOf(key, CHUNKS) }],
      });
    }
  }

  // The last server may have responded to all requests before it was killed.
  expect(interrupted).toBeGreaterThan(0);
  const chats = Array.from(
    { length: CHATS },
    (_, n) => `c${n}: chat(id: "chat-${n}") { messageCount drafts { edges { node { id } } } }`,
  );
  const { data } = await server.post(`{ ${chats.join(' ')} }`);
  const whole = { messageCount: (DRAFTS / CHATS) * KILL_AFTER.length, drafts: { edges: [] } };
  expect(Object.values(data!)).toEqual(chats.map(() => whole));
});
