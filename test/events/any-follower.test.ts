/** After any changes of a chat and any lost wakes, all followers receive the same events, from any position. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createChat, updateChat } from '../../src/conversation/chats.js';
import { deleteChat } from '../../src/features/deletion/delete-chat.js';
import { createCheckpoint, restoreCheckpoint } from '../../src/conversation/branches/checkpoints.js';
import type { LogReads } from '../../src/conversation/log-reads.js';
import type { ChatEvent } from '../../src/conversation/model.js';
import { btw, rewind, switchBranch } from '../../src/conversation/branches/rewind.js';
import { editMessage, saveMessages } from '../../src/conversation/saving/save.js';
import type { ConversationStore } from '../../src/conversation/store.js';
import { createLogReads } from '../../src/database/reading/log-reads.js';
import { DatabaseStore } from '../../src/database/store/database-store.js';
import { Feeds } from '../../src/events/feeds.js';
import { followHead, type ComingUpdate, type HeadUpdate } from '../../src/events/head-updates.js';
import type { Following } from '../../src/events/following.js';
import { openLog } from '../../src/events/open-log.js';
import { runs } from '../support/effort.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/database/temporary-database.js';

const VIEWER = { userId: 'u', isAdmin: false };

let database: TemporaryDatabase;
let log: LogReads;
beforeAll(async () => {
  database = await temporaryDatabase();
  log = createLogReads(database.connection);
});
afterAll(() => database.remove());

type Operation =
  | { kind: 'save'; count: number; onBranch: number | null }
  | { kind: 'edit' | 'rewind'; message: number }
  | { kind: 'switch'; branch: number }
  | { kind: 'btw' | 'checkpoint' | 'restore' | 'title' };

const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({
    kind: fc.constant('save' as const),
    count: fc.integer({ min: 1, max: 3 }),
    onBranch: fc.option(fc.nat(), { nil: null }),
  }),
  fc.record({ kind: fc.constantFrom('edit' as const, 'rewind' as const), message: fc.nat() }),
  fc.record({ kind: fc.constant('switch' as const), branch: fc.nat() }),
  fc.record({
    kind: fc.constantFrom('btw' as const, 'checkpoint' as const, 'restore' as const, 'title' as const),
  }),
);

/** Branches that become active directly after their own move, after that of another branch, and later. */
const MOVES: Operation[] = [
  { kind: 'save', count: 1, onBranch: null },
  { kind: 'edit', message: 0 },
  { kind: 'switch', branch: 0 },
  { kind: 'switch', branch: 1 },
  { kind: 'rewind', message: 0 },
  { kind: 'save', count: 1, onBranch: 0 },
  { kind: 'switch', branch: 1 },
];

/** Runs operations, as far as their targets exist. */
class History {
  readonly #messages: string[] = [];
  readonly #branches = ['main'];
  #count = 0;

  constructor(
    private readonly store: ConversationStore,
    private readonly chatId: string,
  ) {}

  async apply(each: Operation): Promise<void> {
    const { store, chatId } = this;
    const message = 'message' in each ? this.#messages[each.message % this.#messages.length] : this.#messages[0];
    switch (each.kind) {
      case 'save': {
        const messages = Array.from({ length: each.count }, () => ({ name: 'user', content: { text: 'x' } }));
        const branch = each.onBranch === null ? null : this.#branches[each.onBranch % this.#branches.length]!;
        const saved = await saveMessages(store, VIEWER, { chatId, branch, messages });
        this.#messages.push(...saved.messages.map(({ id }) => id));
        return;
      }
      case 'switch':
        await switchBranch(store, VIEWER, { chatId, name: this.#branches[each.branch % this.#branches.length]! });
        return;
      case 'title':
        await updateChat(store, VIEWER, { id: chatId, title: String(this.#count++) });
        return;
      default:
        if (message !== undefined) await this.#applyAt(message, each.kind);
    }
  }

  async #applyAt(message: string, kind: 'edit' | 'rewind' | 'btw' | 'checkpoint' | 'restore'): Promise<void> {
    const { store, chatId } = this;
    switch (kind) {
      case 'edit': {
        const edited = await editMessage(store, VIEWER, { chatId, messageId: message, content: { text: 'y' } });
        this.#branches.push(edited.branch.name);
        this.#messages.push(...edited.messages.map(({ id }) => id));
        return;
      }
      case 'rewind':
        this.#branches.push((await rewind(store, VIEWER, { chatId, messageId: message })).branch.name);
        return;
      case 'btw':
        await btw(store, VIEWER, { chatId }).then(
          ({ branch }) => this.#branches.push(branch.name),
          () => {},
        );
        return;
      case 'checkpoint':
        await createCheckpoint(store, VIEWER, { chatId, name: 'p', messageId: message });
        return;
      case 'restore':
        await restoreCheckpoint(store, VIEWER, { chatId, name: 'p' }).then(
          ({ branch }) => this.#branches.push(branch.name),
          () => {},
        );
    }
  }
}

const NONE_SAVED = { firstSeq: 1, lastSeq: 0 };

/**
 * Derives head updates from the log, with all heads in memory: of the active branch (null), or of one branch.
 * @param after the seq after which the follower reads the log
 */
function updatesOf(events: readonly ChatEvent[], followed: string | null, after = 0): HeadUpdate[] {
  const heads = new Map<string | null, string | null>();
  const updates: HeadUpdate[] = [];
  let active: string | null = null;
  for (const event of events) {
    const { chatId, seq } = event;
    if (event.type === 'BranchCreated') {
      const { branchId, headId } = event.payload;
      heads.set(branchId, headId);
      if (branchId === followed)
        updates.push({ chatId, seq, branchId, previousHeadId: null, headId, saved: NONE_SAVED });
    } else if (event.type === 'BranchHeadMoved') {
      const { branchId, headId, firstSeq, lastSeq } = event.payload;
      const previousHeadId = heads.get(branchId) ?? null;
      heads.set(branchId, headId);
      const saved = { firstSeq, lastSeq };
      if (branchId === (followed ?? active)) updates.push({ chatId, seq, branchId, previousHeadId, headId, saved });
    } else if (event.type === 'BranchActivated') {
      const { branchId } = event.payload;
      const previousHeadId = heads.get(active) ?? null;
      active = branchId;
      if (followed !== null) continue;
      // The move of the same branch just before belongs to the update.
      const before = events[seq - 2];
      const isMove = before?.type === 'BranchHeadMoved' && before.payload.branchId === branchId && before.seq > after;
      const saved = isMove ? { firstSeq: before.payload.firstSeq, lastSeq: before.payload.lastSeq } : NONE_SAVED;
      updates.push({ chatId, seq, branchId, previousHeadId, headId: heads.get(branchId) ?? null, saved });
    }
  }
  return updates.filter(({ seq }) => seq > after);
}

/** All values of a stream until it ends. */
async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const values: T[] = [];
  for await (const value of stream) values.push(value);
  return values;
}

/** The events of its followers, each of which reads one event at a time. */
async function updatesIn(updates: AsyncIterable<ComingUpdate>): Promise<HeadUpdate[]> {
  const values: HeadUpdate[] = [];
  for await (const update of updates) values.push(await update.read(database));
  return values;
}

const following = (until?: Following['until']): Following => ({
  startAt: null,
  position: 0,
  isOver: false,
  ...(until && { until }),
});

let chats = 0;
test('every follower of a chat receives its whole log in order, from any position', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(operation, { minLength: 1, maxLength: 25 }),
      fc.array(fc.boolean(), { minLength: 7, maxLength: 7 }),
      fc.nat(24),
      async (operations, isDelivered, joinsAt) => {
        const errors: unknown[] = [];
        const feeds = new Feeds({ log, sweepIntervalMs: 3_600_000, onError: (error) => errors.push(error) });
        let wakes = 0;
        const store = new DatabaseStore(database.connection, {
          // Some wakes are lost.
          onChange: (wake) => isDelivered[wakes++ % isDelivered.length] && feeds.wake(wake),
        });
        const chatId = `chat-${chats++}`;
        await createChat(store, VIEWER, { id: chatId });
        const open = (after: number | null, until?: Following['until']) =>
          openLog(feeds, VIEWER, { chatId, after }, following(until));

        // Some followers start at the beginning, others during the changes.
        const early = all(await open(0));
        let late: Promise<ChatEvent[]> | undefined;
        const heads = updatesIn(await followHead(log, await open(0), { chatId, branchName: null, isResumed: true }));
        const history = new History(store, chatId);
        for (const [n, each] of operations.entries()) {
          if (n === joinsAt) late = open(null).then(all);
          await history.apply(each);
        }

        const { events } = await log.eventsAfter(chatId, 0, 1000);
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, n) => n + 1));
        const branches = [
          null,
          ...events.flatMap((event) => (event.type === 'BranchCreated' ? [event.payload.branchId] : [])),
        ];
        const names = new Map((await database.allRows()).branches.map(({ id, name }) => [id, name]));
        await feeds.sweep();
        for (let after = 0; after <= events.length; after += 1 + (after % 3)) {
          // Up to a read position, which may be before the end, and onwards from it.
          const read = await all(await open(after, () => null));
          const unread = await all(await open(after + read.length, () => ({ position: events.length, mark: 0 })));
          expect([...read, ...unread]).toEqual(events.slice(after));
          for (const branch of branches) {
            const place = { chatId, branchName: branch === null ? null : names.get(branch)!, isResumed: true };
            const updates = await updatesIn(
              await followHead(log, await open(after, () => ({ position: events.length, mark: 0 })), place),
            );
            expect(updates).toEqual(updatesOf(events, branch, after));
          }
        }

        await deleteChat(store, VIEWER, chatId);
        await feeds.sweep();
        const end = { type: 'ChatDeleted', seq: events.length + 1, actorId: 'u' };
        expect(await early).toEqual([...events, expect.objectContaining(end)]);
        expect(await heads).toEqual(updatesOf(events, null));
        const seen = (await late) ?? [];
        if (late !== undefined) {
          expect(seen).toEqual([...events.slice(events.length + 1 - seen.length), expect.objectContaining(end)]);
        }
        expect({ errors, followed: feeds.size }).toEqual({ errors: [], followed: 0 });
      },
    ),
    { numRuns: runs(60), examples: [[MOVES, Array<boolean>(7).fill(true), 0]] },
  );
});
