/**
 * `npm run speed -w packages/client`: what an event, an arrow and a page cost a store of 10,000 messages, in CPU time of this
 * process. The server is left out: answers are made here.
 */
import { ThreadStore, type Parley, type PlacedFragment } from '../src/client.js';
import { unsavedMessage } from '../src/message.js';

const LENGTH = 10_000;
const TIMES = 500;

function placed(n: number, parentId: string | null, siblingIndex = 0): PlacedFragment {
  return {
    ...unsavedMessage({
      id: `m${n}`,
      parentId,
      name: 'user',
      text: `message ${n}`,
      createdAt: '2026-01-01T00:00:00.000Z',
    }),
    ...{ seq: n + 1, depth: n, data: {}, createdBy: 'u', hasChildren: false },
    ...{ siblingIndex, siblingCount: siblingIndex + 1, nextSibling: null },
    previousSibling: siblingIndex === 0 ? null : { id: `m${n - 1}` },
  };
}

const chain = Array.from({ length: LENGTH }, (_, n) => placed(n, n === 0 ? null : `m${n - 1}`));
const main = { id: 'b', name: 'main', head: { id: `m${LENGTH - 1}` } };
let tell: (data: unknown) => void = () => {};
const parley = {
  retryDelay: () => 0,
  run: async () => ({
    chat: {
      ...{ id: 'c', title: null, metadata: {}, userId: 'u', version: 1, createdAt: '' },
      activeBranch: { ...main, messages: { edges: chain.map((node) => ({ node })) } },
      branches: { edges: [{ node: main }] },
      checkpoints: { edges: [] },
    },
  }),
  follow(
    operation: string,
    _variables: unknown,
    followed: { next: typeof tell; connected?: (isAgain: boolean) => void },
  ) {
    if (operation.includes('chatEvents')) {
      tell = (event) => followed.next({ chatEvents: event });
      queueMicrotask(() => followed.connected?.(false));
    }
    return () => {};
  },
} as unknown as Parley;

const store = new ThreadStore(parley, 'c', { pageSize: 1000, switching: 'local' });
await store.open();
await store.when(({ status }) => status === 'live');
let renders = 0;
store.subscribe(() => renders++);

function measure(name: string, limit: number, run: (n: number) => void): void {
  const before = process.cpuUsage();
  for (let n = 0; n < TIMES; n++) run(n);
  const { user, system } = process.cpuUsage(before);
  console.log(`${name}: ${((user + system) / 1000 / TIMES).toFixed(3)} ms of ${limit}`);
}

let seq = 1;
let last = LENGTH - 1;
measure('an event at the end of 10,000 messages', 1, () => {
  const message = placed(last + 1, `m${last}`);
  last++;
  tell({ __typename: 'BranchHeadMoved', seq: ++seq, headId: message.id, branch: main, messages: [message] });
});
if (store.getState().thread.length !== LENGTH + TIMES || renders !== TIMES) throw new Error('It was not shown');

// Two versions of the second message: the whole thread below is exchanged for another.
const other = { ...placed(last + 1, 'm0', 1), previousSibling: { id: 'm1' } };
tell({ __typename: 'BranchHeadMoved', seq: ++seq, headId: `m${last}`, branch: main, messages: [other] });
measure('an arrow near the root, there and back', 16, (n) => {
  void store.switchToSibling(n % 2 === 0 ? other.id : 'm1');
});
measure('the versions of a message', 1, () => void store.getMessageSiblingInfo('m1'));
store.close();
