/** Exports and imports of chats with arbitrary histories. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { saveMessages, editMessage } from '../../../src/conversation/saving/save.js';
import { btw, rewind, switchBranch } from '../../../src/conversation/branches/rewind.js';
import { createChat, updateChat } from '../../../src/conversation/chats.js';
import { createCheckpoint, deleteCheckpoint } from '../../../src/conversation/branches/checkpoints.js';
import { deleteBranch, renameBranch } from '../../../src/conversation/branches/branches.js';
import { RuleError } from '../../../src/conversation/errors.js';
import type { ConversationReads } from '../../../src/conversation/reads.js';
import type { ConversationStore } from '../../../src/conversation/store.js';
import { checksumOf } from '../../../src/features/copies/copy-chat.js';
import { readState } from '../../../src/database/whole-chats/chat-state.js';
import { connect, openDatabase } from '../../../src/database/opening/open.js';
import { findValues, parley } from '@parley/interchange/server';
import { adopterOf } from '../../../src/features/imports/parley/adopt-chat.js';
import { adoptChats } from '../../../src/features/imports/parley/adopt-chats.js';
import { ChatArchive } from '../../../src/features/exports/archive.js';
import { runs } from '../../support/effort.js';
import { VIEWER } from '../../support/chats/large-chats.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';

type Step = { kind: number; message: number; name: string; text: string };

const steps = fc.array(
  fc.record({
    kind: fc.nat(9),
    message: fc.nat(5),
    name: fc.constantFrom('main', 'main-v2', 'side', 'a'),
    text: fc.constantFrom('hello', '\u2028 é 🎉', '{"a":1}'),
  }),
  { minLength: 6, maxLength: 20 },
);

async function take(store: ConversationStore, chatId: string, { kind, message, name, text }: Step, n: number) {
  const messageId = `${chatId}-${message}`;
  const content = { data: { parts: [{ type: 'text', text }] } };
  const saved = { id: `${chatId}-${n}`, name: 'user', type: 'message', content };
  const sourceIds = kind === 2 ? [messageId] : [];
  if (kind < 3) await saveMessages(store, VIEWER, { chatId, messages: [{ ...saved, sourceIds }] });
  else if (kind === 3) await editMessage(store, VIEWER, { chatId, messageId, content, id: saved.id });
  else if (kind === 4) await rewind(store, VIEWER, { chatId, messageId, branchName: name });
  else if (kind === 5) await btw(store, VIEWER, { chatId, messageId, branchName: name });
  else if (kind === 6) await createCheckpoint(store, VIEWER, { chatId, name, messageId });
  else if (kind === 7) await deleteCheckpoint(store, VIEWER, { chatId, name });
  else if (kind === 8) await renameBranch(store, VIEWER, { chatId, name: 'main', newName: name });
  else {
    await switchBranch(store, VIEWER, { chatId, name });
    await deleteBranch(store, VIEWER, { chatId, name: 'main' });
    await updateChat(store, VIEWER, { id: chatId, title: text, metadata: { [text]: n } });
  }
}

/** The hashes of all messages. */
async function hashesOf(reads: ConversationReads, chatId: string): Promise<(string | null)[]> {
  const [messages = []] = await reads.messageRanges([{ chatId, firstSeq: 1, lastSeq: 100 }]);
  return reads.messageColumn(messages, 'contentHash');
}

test('any history has the same rows and hashes after export and import, at once or in two parts', async () => {
  const [from, to] = [temporaryDatabaseUrl(), temporaryDatabaseUrl()];
  const [source, target] = [
    await openDatabase({ url: from, migrate: true }),
    await openDatabase({ url: to, migrate: true }),
  ];
  const readers = [
    (await connect(from, { migrate: false })).connection,
    (await connect(to, { migrate: false })).connection,
  ];
  const checksums = (id: string) =>
    Promise.all(
      readers.map(async (reading) => {
        const state = await readState(reading, id);
        return state && (await checksumOf(reading, state));
      }),
    );
  const move = async (id: string) => {
    const results: string[] = [];
    const chat = await new ChatArchive(source.connection).read(id, null);
    if (chat === null) throw new Error('it is not there');
    async function* bytes() {
      for await (const text of parley.write(chat as NonNullable<typeof chat>, { paths: 'active' }))
        yield Buffer.from(text);
    }
    const report = {
      add: (_: string, __: string | null, { result }: { result: string }) => void results.push(result),
      fail: ({ reason }: { reason: string }) => void results.push(reason),
      reasonOf: String,
      adoptFiles: async () => [],
      pause: () => Promise.resolve(),
    };
    const others = adoptChats(
      findValues(bytes()),
      { adopt: adopterOf(target.connection), owner: null, actor: null },
      report,
    );
    for await (const other of others) throw new Error(`left: ${JSON.stringify(other)}`);
    return results;
  };
  let chats = 0;
  try {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(20), async (history, half) => {
        const id = `c${chats++}`;
        await createChat(source.store, VIEWER, { id });
        for (const [n, step] of history.entries()) {
          if (n === half) expect(await move(id)).toEqual(['imported']);
          await take(source.store, id, step, n).catch((error: unknown) => {
            if (!(error instanceof RuleError)) throw error;
          });
        }
        expect(['imported', 'updated', 'unchanged']).toContainEqual((await move(id)).join());
        const [one, other] = await checksums(id);
        expect(one).toBe(other);
        const hashes = await Promise.all([source, target].map(({ reads }) => hashesOf(reads, id)));
        expect(hashes[1]).toEqual(hashes[0]);
        expect(hashes[0]).not.toContain(null);
        expect(await move(id)).toEqual(['unchanged']);
      }),
      { numRuns: runs(400) },
    );
  } finally {
    await Promise.all([source.store.close(), target.store.close(), ...readers.map((reader) => reader.close())]);
  }
});
