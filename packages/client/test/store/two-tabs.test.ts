/** Two tabs converge to the server's state after any operations and disconnects. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../test/support/effort.js';
import { startListening, type ListeningServer } from '../../../../test/support/server/listening-server.js';
import type { ConflictChoice, Message, Outcome } from '../../src/client.js';
import { buildChildrenMap } from '../../src/tree/tree.js';
import { CreateChat } from '../../src/generated/operations.js';
import type { ThreadStore } from '../../src/client.js';
import { openTab, type Tab } from '../open-parley.js';

const KINDS = [
  ...['send', 'send', 'edit', 'regenerate', 'rewind', 'sibling', 'branch', 'rename', 'delete', 'mark', 'restore'],
  ...['unmark', 'older', 'write', 'cut', 'settle', 'settle'],
] as const;
interface Step {
  kind: (typeof KINDS)[number];
  /** The tab that executes the operation. */
  tab: 0 | 1;
  /** The index of the operation's target. */
  at: number;
}
const step = fc.record({
  kind: fc.constantFrom(...KINDS),
  tab: fc.constantFrom(0 as const, 1 as const),
  at: fc.nat(1000),
});

const SERVER_STATE = `query ($id: ID!) { chat(id: $id) {
  version activeBranch { id messages(last: 1000) { edges { node { id siblingIndex siblingCount
    previousSibling { id } nextSibling { id } } } } }
  branches(first: 1000) { edges { node { id name isActive head { id } } } }
  checkpoints(first: 1000) { edges { node { name message { id } } } }
  messages(first: 1000) { edges { node { id parentId seq text } } } } }`;

interface ServerState {
  version: number;
  activeBranch: {
    messages: Edges<{
      id: string;
      siblingIndex: number;
      siblingCount: number;
      previousSibling: { id: string } | null;
      nextSibling: { id: string } | null;
    }>;
  };
  branches: Edges<{ id: string; name: string; isActive: boolean; head: { id: string } | null }>;
  checkpoints: Edges<{ name: string; message: { id: string } }>;
  messages: Edges<{ id: string; parentId: string | null; seq: number; text: string }>;
}
interface Edges<Node> {
  edges: { node: Node }[];
}
const nodes = <Node>({ edges }: Edges<Node>) => edges.map(({ node }) => node);

/** One tab with its store, which is checked after every change. */
class Player {
  readonly errors: unknown[] = [];
  readonly outcomes: Promise<Outcome<unknown>>[] = [];
  readonly #saved = new Map<string, Message>();

  constructor(
    readonly tab: Tab,
    readonly store: ThreadStore,
    private readonly choice: ConflictChoice,
  ) {
    store.subscribe(() => {
      try {
        this.#look();
      } catch (error) {
        this.errors.push(error);
      }
    });
  }

  play({ kind, at }: Step): void {
    const { store, outcomes } = this;
    const { thread, branches, checkpoints, branch } = store.getState();
    const saved = thread.filter(({ status }) => status === undefined);
    const message = saved[at % saved.length];
    const named = branches[at % branches.length]?.name ?? '';
    const mark = checkpoints[at % Math.max(1, checkpoints.length)]?.name ?? `mark ${at % 3}`;
    const given = { id: crypto.randomUUID() };
    if (kind === 'send') outcomes.push(store.send(`said ${at}`, given));
    if (kind === 'cut') this.tab.cut();
    if (kind === 'older') outcomes.push(store.loadOlder());
    if (kind === 'branch') outcomes.push(store.switchBranch(named));
    if (kind === 'rename') outcomes.push(store.renameBranch(named, `name ${at % 5}`));
    if (kind === 'delete' && named !== branch?.name) outcomes.push(store.deleteBranch(named));
    if (kind === 'restore') outcomes.push(store.restoreCheckpoint(mark));
    if (kind === 'unmark') outcomes.push(store.deleteCheckpoint(mark));
    if (message === undefined) return;
    if (kind === 'edit') outcomes.push(store.edit(message.id, `edited ${at}`, given));
    if (kind === 'regenerate') outcomes.push(store.regenerate(message.id, `again ${at}`, given));
    if (kind === 'rewind') outcomes.push(store.rewind(message.id));
    if (kind === 'mark') outcomes.push(store.createCheckpoint(`mark ${at % 3}`, message.id));
    if (kind === 'write') outcomes.push(this.#write(at % 2 === 0 ? {} : { parentId: message.id }));
    const { previousId = null, nextId = null } = store.getMessageSiblingInfo(message.id) ?? {};
    const sibling = at % 2 === 0 ? (previousId ?? nextId) : (nextId ?? previousId);
    if (kind === 'sibling' && sibling !== null) outcomes.push(store.switchToSibling(sibling));
  }

  async settle(): Promise<void> {
    // A conflict appends requests after the earlier ones.
    for (const outcome of this.outcomes.splice(0)) await outcome;
  }

  async #write(given: { parentId?: string }): Promise<Outcome<unknown>> {
    const outcome = await this.store.write(given);
    if (!outcome.ok) return outcome;
    outcome.value.append('written ', 'down');
    return { ok: true, value: await outcome.value.finish() };
  }

  #look(): void {
    const { thread, conflicts, drafts } = this.store.getState();
    thread.forEach((message, n) => {
      if (n > 0) expect(message.parentId, 'a thread is a path').toBe(thread[n - 1]?.id);
      if (message.status !== undefined) return;
      expect(this.#saved.get(message.id) ?? message, 'a message never changes').toBe(message);
      this.#saved.set(message.id, message);
    });
    expect(new Set(thread.map(({ id }) => id)).size, 'nothing is shown twice').toBe(thread.length);
    expect(drafts.length).toBeLessThan(20);
    for (const { resolve, choices } of conflicts) {
      this.outcomes.push(resolve(choices.includes(this.choice) ? this.choice : 'fork'));
    }
  }
}

let chats = 0;
async function play(server: ListeningServer, steps: Step[], choice: ConflictChoice): Promise<void> {
  const chatId = `chat ${chats++}`;
  await openTab(server).parley.run(CreateChat, { input: { id: chatId } });
  const players = ([0, 1] as const).map((n) => {
    const tab = openTab(server, { retryDelay: () => 5 });
    // One tab misses many events.
    return new Player(tab, tab.thread(chatId, { pageSize: 3, farBehind: n === 0 ? 1000 : 3 }), choice);
  });
  await Promise.all(players.map(({ store }) => store.open()));
  for (const each of steps) {
    const player = players[each.tab]!;
    if (each.kind === 'settle') await player.settle();
    else player.play(each);
  }
  while (players.some(({ outcomes }) => outcomes.length > 0)) for (const player of players) await player.settle();

  const { data } = await server.ask(SERVER_STATE, { id: chatId });
  const { chat: truth } = data as unknown as { chat: ServerState };
  for (const { store, tab, errors } of players) {
    expect(errors).toEqual([]);
    const state = await store.when(
      ({ version, status, isLoading, drafts }) =>
        version === truth.version && status === 'live' && !isLoading && drafts.length === 0,
    );
    store.showActive();
    expect(state.branches.map(({ label: _, ...branch }) => branch)).toEqual(
      nodes(truth.branches).map(({ head, ...branch }) => ({ ...branch, headId: head?.id ?? null })),
    );
    expect(state.checkpoints.map(({ name, messageId }) => [name, messageId]).sort()).toEqual(
      nodes(truth.checkpoints)
        .map(({ name, message }) => [name, message.id])
        .sort(),
    );
    expect(state.conflicts).toEqual([]);
    await store.when(({ isLoading }) => !isLoading);
    while (store.getState().hasOlder) expect(await store.loadOlder()).toMatchObject({ ok: true });
    const path = nodes(truth.activeBranch.messages);
    expect(store.getState().thread.map(({ id }) => id)).toEqual(path.map(({ id }) => id));
    for (const { id, siblingIndex, siblingCount, previousSibling, nextSibling } of path) {
      expect(store.getMessageSiblingInfo(id)).toMatchObject({
        ...{ siblingIndex, siblingCount },
        previousId: previousSibling?.id ?? null,
        nextId: nextSibling?.id ?? null,
      });
    }
    await store.loadAll();
    const all = nodes(truth.messages);
    const { allMessages, childrenMap } = store.getState();
    expect(allMessages.map(({ id, text }) => [id, text])).toEqual(all.map(({ id, text }) => [id, text]));
    const edges = (map: ReadonlyMap<string | null, readonly { id: string }[]>) =>
      [...map].map(([id, children]) => `${id}: ${children.map((child) => child.id).join()}`).sort();
    expect(edges(childrenMap)).toEqual(edges(buildChildrenMap(all)));
    tab.parley.close();
  }
}

test('two tabs converge to the state of the server', async () => {
  const server = await startListening();
  const history = fc.tuple(
    fc.array(step, { minLength: 4, maxLength: 25 }),
    fc.constantFrom<ConflictChoice>('append', 'fork', 'discard'),
  );
  await fc.assert(
    fc.asyncProperty(history, ([steps, choice]) => play(server, steps, choice)),
    { numRuns: runs(40) },
  );
  expect(server.unexpectedErrors).toEqual(new Map());
});
