/** Heads below messages: the walk in bands equals the walk along each path. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { scopeKey } from '../../src/conversation/chat-scoped.js';
import type { Message } from '../../src/conversation/model.js';
import { branchesOf } from '../../src/database/reading/branches/branches-through.js';
import { LinkWalk } from '../../src/database/reading/branches/link-walk.js';
import { createReader } from '../../src/database/reading/reader.js';
import { runs } from '../support/effort.js';
import { writeInOneChange } from '../support/chats/large-chats.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/database/temporary-database.js';

let database: TemporaryDatabase;
beforeAll(async () => {
  database = await temporaryDatabase();
});
afterAll(() => database.remove());

/** Deep and wide trees as the parent index of each message, and the messages at which branches end. */
const tree = fc.record({
  parents: fc.array(fc.oneof(fc.nat(2), fc.nat(40)), { minLength: 1, maxLength: 40 }),
  heads: fc.array(fc.nat(39), { minLength: 1, maxLength: 12 }),
  asked: fc.array(fc.nat(39), { minLength: 1, maxLength: 12 }),
});

let chats = 0;

/** A chat with the tree, and the requested messages. */
async function write({ parents, heads, asked }: typeof tree extends fc.Arbitrary<infer T> ? T : never) {
  const chatId = `tree-${chats++}`;
  const messages: Message[] = [];
  await writeInOneChange(database.store, chatId, async (place, change) => {
    for (const [n, back] of parents.entries()) {
      messages.push(await place(n === 0 ? null : messages[Math.max(0, n - 1 - back)]!, `${chatId}-${n}`));
    }
    for (const message of messages) change.messages.push(message as (typeof change.messages)[number]);
    for (const [n, head] of heads.entries()) change.createBranch(`b${n}`, messages[head % messages.length]!);
  });
  return { chatId, messages, asked: [...new Set(asked.map((n) => messages[n % messages.length]!))] };
}

it('finds the nearest requested message above each head of any tree', async () => {
  await fc.assert(
    fc.asyncProperty(tree, tree, fc.constantFrom(1, 3, 8, 1000), async (one, other, linksAtOnce) => {
      const chats = [await write(one), await write(other)];
      const reader = createReader(database.connection);
      const branches = await branchesOf(
        reader,
        chats.map(({ chatId }) => chatId),
      );
      const asked = chats.flatMap((chat) => chat.asked);
      const { nearest, above } = await new LinkWalk(reader, asked, branches, linksAtOnce).walk();

      const byId = new Map(chats.flatMap(({ messages }) => messages).map((message) => [message.id, message]));
      const keyOf = (id: string | undefined) => (id === undefined ? undefined : scopeKey(byId.get(id)!));
      const isAsked = new Set(asked.map(({ id }) => id));
      /** The nearest requested message at or above a message. */
      const askedFrom = (id: string | null): string | undefined => {
        for (let at = id; at !== null; at = byId.get(at)!.parentId) if (isAsked.has(at)) return at;
        return undefined;
      };
      const heads = branches.flatMap(({ headMessageId }) => headMessageId ?? []);
      for (const head of heads) expect(nearest.get(keyOf(head)!)).toBe(keyOf(askedFrom(head)));
      const lower = new Set(heads.map(askedFrom));
      for (let id of lower) {
        for (; id !== undefined; id = askedFrom(byId.get(id)!.parentId)) {
          expect(above.get(keyOf(id)!)).toBe(keyOf(askedFrom(byId.get(id)!.parentId)));
        }
      }
    }),
    { numRuns: runs(100) },
  );
});
