/** A large save in a large chat: it reads its data once, does not block other users, and ends at its deadline. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { Deadline } from '../../../src/limits/deadline.js';
import { TimeoutError } from '../../../src/conversation/errors.js';
import { saveMessages, type NewMessage } from '../../../src/conversation/saving/save.js';
import { withinBounds } from '../../../src/database/connection/within-bounds.js';
import { DatabaseStore } from '../../../src/database/store/database-store.js';
import { VIEWER, writeChain } from '../../support/chats/large-chats.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/database/temporary-database.js';

/** Long enough for walks in pieces. */
const DEPTH = 3_500;
/** More messages than one statement reads. */
const BRANCHES = 5_200;

let database: TemporaryDatabase;
const statements: string[] = [];
let onStatement: () => void = () => {};
beforeAll(async () => {
  database = await temporaryDatabase((sql) => {
    statements.push(sql);
    onStatement();
  });
  await writeChain(database.store, 'deep', DEPTH);
});
afterAll(() => database.remove());
beforeEach(() => void (statements.length = 0));

const lazy = (count: number): NewMessage[] =>
  Array.from({ length: count }, (_, n) => ({ lazyId: 'LAST_ASSISTANT', name: 'user', content: { text: `lazy ${n}` } }));

/** The ids of messages of a chain, the deepest first. */
const edits = (chatId: string, depths: readonly number[]): NewMessage[] =>
  depths.map((depth) => ({ id: `${chatId}-${depth}`, name: 'user', content: { text: 'edited' } }));

const save = (chatId: string, messages: NewMessage[], store = database.store) =>
  saveMessages(store, VIEWER, { chatId, messages });

/** The number of statements of a save. */
async function statementsOf(messages: NewMessage[]): Promise<number> {
  statements.length = 0;
  await save('deep', messages);
  return statements.length;
}

it('a hundred lazy ids require one walk, as a single one does', async () => {
  const ofOne = await statementsOf(lazy(1));
  expect(await statementsOf(lazy(100))).toBe(ofOne);
});

it('the last assistant message is found from any message, in any order', async () => {
  const spoken = [3, 999, 1000, 1001, 2400];
  await createChat(database.store, VIEWER, { id: 'spoken' });
  for (let from = 0; from < 3_000; from += 500) {
    const messages = Array.from({ length: 500 }, (_, n) => {
      const name = spoken.includes(from + n) ? 'assistant' : 'user';
      return { id: `spoken-${from + n}`, name, content: { text: 'x' } };
    });
    await save('spoken', messages);
  }
  const depths = [1500, 2999, 0, 1001, 2400, 1000, 2399, 999, 4, 3, 2, 2000, 1002, 2001];
  const found = await database.store.change('spoken', VIEWER.userId, async (chat) => {
    const ids: (string | undefined)[] = [];
    for (const depth of depths) ids.push((await chat.lastAssistant(`spoken-${depth}`))?.id);
    return ids;
  });
  const above = (depth: number) => spoken.findLast((each) => each <= depth);
  expect(found).toEqual(depths.map((depth) => (above(depth) === undefined ? undefined : `spoken-${above(depth)}`)));
});

describe('edits in a chat of many branches', () => {
  beforeAll(async () => {
    await writeChain(database.store, 'branchy', 40);
    await database.store.change('branchy', VIEWER.userId, async (locked, change) => {
      const { headMessageId: id, messageCount } = await locked.activeBranch();
      for (let n = 2; n <= BRANCHES; n++) change.createBranch(`main-v${n}`, { id: id!, depth: messageCount - 1 });
    });
  });
  const namesRead = () => statements.filter((sql) => /SELECT\s+(TOP \S+ )?(b\.)?["[]name["\]]\s+FROM/.test(sql)).length;

  it('read the names of any number of branches once, and continue their numbers', async () => {
    const { branch } = await save('branchy', edits('branchy', [39]));
    expect(branch.name).toBe(`main-v${BRANCHES + 1}`);
    const ofOne = namesRead();
    expect(ofOne).toBeGreaterThan(1);
    statements.length = 0;
    const messages = edits('branchy', [30, 29, 28, 27, 26]);
    const saved = await saveMessages(database.store, VIEWER, { chatId: 'branchy', branch: 'main', messages });
    expect(saved.branch.name).toBe(`main-v${BRANCHES + 6}`);
    expect(namesRead()).toBe(ofOne);
  });
});

it('other work runs between the messages of a long save', async () => {
  await createChat(database.store, VIEWER, { id: 'busy' });
  let now = 0;
  // Each read of the clock advances it.
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 6));
  onTestFinished(() => void vi.restoreAllMocks());
  let turns = 0;
  let immediate = setImmediate(function turn() {
    turns++;
    immediate = setImmediate(turn);
  });
  const messages = Array.from({ length: 100 }, () => ({ name: 'user', content: { text: 'x' } }));
  await save('busy', messages);
  clearImmediate(immediate);
  expect(turns).toBeGreaterThan(messages.length / 2);
});

it('a long save ends at its deadline, and writes nothing', async () => {
  await writeChain(database.store, 'late', 60);
  const before = await database.allRows();
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => void vi.restoreAllMocks());
  const deadline = new Deadline(1_000);
  onTestFinished(() => deadline.end());
  const store = new DatabaseStore(withinBounds(database.connection, { deadline }));
  statements.length = 0;
  onStatement = () => {
    if (statements.length === 20) now = 1_000;
  };
  onTestFinished(() => void (onStatement = () => {}));
  const depths = Array.from({ length: 50 }, (_, n) => 59 - n);
  await expect(save('late', edits('late', depths), store)).rejects.toBeInstanceOf(TimeoutError);
  // No other operation runs before it ends.
  await database.connection.write('late', () => Promise.resolve());
  expect(statements.length).toBe(20);
  expect(await database.allRows()).toEqual(before);
});
