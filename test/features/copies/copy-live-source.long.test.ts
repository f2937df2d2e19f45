/** Writes to the source during a copy: each chat is copied in its state at one moment. */
import { fileService } from '../../../src/features/files/open-files.js';
import { describe, expect, it, vi } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { deleteChat } from '../../../src/features/deletion/delete-chat.js';
import { createCheckpoint } from '../../../src/conversation/branches/checkpoints.js';
import { editMessage } from '../../../src/conversation/saving/save.js';
import { copyDatabase, type CopyReport } from '../../../src/features/copies/copy-database.js';
import { openSides } from '../../../src/features/copies/side.js';
import type { OpenDatabase } from '../../../src/database/opening/open.js';
import { VIEWER, writeChain } from '../../support/chats/large-chats.js';
import { temporaryFile } from '../../support/temporary-folder.js';
import { atDatabase, contentOf, ofChat, type DatabaseContent } from '../../cli/database-content.js';

type Change = (database: OpenDatabase) => Promise<unknown>;

/** The result of a copy whose n-th read waited for a change. */
interface Attempt {
  before: DatabaseContent;
  after: DatabaseContent;
  target: DatabaseContent;
  report: CopyReport;
}

/** Fixed times: another chat then differs only by the ids of its branches. */
async function writeChat({ store }: OpenDatabase): Promise<void> {
  const clock = vi.spyOn(Date, 'now').mockReturnValue(1000);
  try {
    await writeChain(store, 'c', 4);
    await createCheckpoint(store, VIEWER, { chatId: 'c', name: 'one', messageId: 'c-1' });
  } finally {
    clock.mockRestore();
  }
}

/** Null when a copy has fewer reads. */
async function copyWithChange(change: Change, n: number): Promise<Attempt | null> {
  const [from, to] = [`file:${temporaryFile()}`, `file:${temporaryFile()}`];
  await atDatabase(from, writeChat);
  const before = await contentOf(from);
  const { source, target, close } = await openSides(from, to, fileService);
  let reads = 0;
  const disturbed: typeof source = {
    ...source,
    async read(query) {
      if (++reads === n) await atDatabase(from, change);
      return source.read(query);
    },
  };
  const report = await copyDatabase({ source: disturbed, target });
  await close();
  if (reads < n) return null;
  return { before, after: await contentOf(from), target: await contentOf(to), report };
}

/** One per read. */
async function attempts(change: Change): Promise<Attempt[]> {
  const all: Attempt[] = [];
  for (let n = 1; ; n++) {
    const attempt = await copyWithChange(change, n);
    if (attempt === null) return all;
    all.push(attempt);
  }
}

/** The state of the chat in the target; throws if it is a mixture. */
function stateOf({ before, after, target }: Attempt): 'before' | 'after' | 'none' {
  const chat = ofChat(target, 'c');
  const states = { none: ofChat(target, 'nothing'), before: ofChat(before, 'c'), after: ofChat(after, 'c') };
  for (const [name, state] of Object.entries(states)) {
    if (JSON.stringify(state, text) === JSON.stringify(chat, text)) return name as keyof typeof states;
  }
  expect(chat).toEqual(states.after);
  throw new Error('the target has a mixture');
}

const text = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

describe('a chat that changes during the copy', () => {
  it('is copied in its state before or after', async () => {
    const all = await attempts(({ store }) =>
      editMessage(store, VIEWER, { chatId: 'c', messageId: 'c-2', content: { text: 'edited' } }),
    );
    const found = all.map((attempt) => [stateOf(attempt), attempt.report.problems()[0]] as const);
    expect(new Set(found.map(([state]) => state))).toEqual(new Set(['before', 'after']));
    const complaint = 'Changed meanwhile: 1 chat, "c". Delete them in the target, and run this again.';
    for (const [state, problem] of found) {
      if (state === 'after') expect(problem).toBeUndefined();
      // A copy cannot notice later changes.
      else expect([complaint, undefined]).toContain(problem);
    }
    expect(found.map(([, problem]) => problem)).toContain(complaint);
  });

  it('is copied completely or not at all when deleted', async () => {
    const all = await attempts(({ store }) => deleteChat(store, VIEWER, 'c'));
    const found = all.map((attempt) => [stateOf(attempt), attempt.report.problems()[0]] as const);
    expect(new Set(found.map(([state]) => state))).toEqual(new Set(['before', 'none']));
    const complaint = 'In the target, and not in the source: 1 chat, "c".';
    for (const [state, problem] of found) {
      if (state === 'none') expect(problem).toBeUndefined();
      else expect([complaint, undefined]).toContain(problem);
    }
  });

  it('is the old or the new chat when its id is reused', async () => {
    const all = await attempts(async (database) => {
      await deleteChat(database.store, VIEWER, 'c');
      await writeChat(database);
    });
    expect(new Set(all.map(stateOf))).toEqual(new Set(['before', 'after', 'none']));
  });
});

describe('a new chat', () => {
  it('is copied or named', async () => {
    const all = await attempts(({ store }) => createChat(store, VIEWER, { id: 'd' }));
    const complaint = 'New in the source meanwhile: 1 chat, "d". Run this again to copy them.';
    const found = all.map(({ target, report }) => [ofChat(target, 'd').chats.length, report.problems()[0]] as const);
    for (const [there, problem] of found) {
      if (there === 1) expect(problem).toBeUndefined();
      else expect([complaint, undefined]).toContain(problem);
    }
    expect(found).toContainEqual([1, undefined]);
    expect(found).toContainEqual([0, complaint]);
  });
});
