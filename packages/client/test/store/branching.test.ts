/** Branching, one sentence per test, through the store and a server. The layers have their own test files. */
import { createElement as h, useEffect, type ReactNode } from 'react';
import { expect, test } from 'vitest';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { withThreads } from '../../src/zustand/with-threads.js';
import { openTab, shown, startChat, until } from '../open-parley.js';
import { render } from '../react/react-renderer.js';

async function openChat(...texts: string[]) {
  const server = await startChat(...texts);
  const store = openTab(server).thread('c');
  await store.open();
  return store;
}
const arrows = (info: { siblingIndex: number; siblingCount: number } | null) =>
  info && `${info.siblingIndex + 1}/${info.siblingCount}`;

test('"When you edit a message or regenerate a response, a new child is added under the same parent, creating siblings"', async () => {
  const store = await openChat('q', 'a', 'b');
  await store.edit('b', 'b2', { id: 'b2' });
  await until(store, 'q a b2');
  await store.regenerate('a', 'a2', { id: 'a2' });
  await until(store, 'q a2');
  await store.loadAll();
  const { allMessages, childrenMap } = store.getState();
  expect(allMessages.map(({ id, parentId }) => [id, parentId])).toEqual([
    ['q', null],
    ['a', 'q'],
    ['b', 'a'],
    ['b2', 'a'],
    ['a2', 'q'],
  ]);
  expect(childrenMap.get('q')?.map(({ id }) => id)).toEqual(['a', 'a2']);
});

test('"The UI displays the active thread (a single root-to-leaf path through the tree) while keeping all branches available"', async () => {
  const store = await openChat('q', 'a');
  await store.edit('q', 'q2', { id: 'q2' });
  await until(store, 'q2');
  await store.when(({ branches }) => branches.length === 2);
  await store.switchBranch('main');
  await until(store, 'q a');
});

test('"arrow controls appear next to it showing the current position (e.g., “2/3”). Click the left or right arrows to switch between branches"', async () => {
  const store = await openChat('q', 'a');
  for (const id of ['a2', 'a3']) await store.regenerate('a', id, { id });
  await until(store, 'q a3');
  expect(arrows(store.getMessageSiblingInfo('a3'))).toBe('3/3');
  await store.switchToSibling(store.getMessageSiblingInfo('a3')!.previousId!);
  await until(store, 'q a2');
  expect(arrows(store.getMessageSiblingInfo('a2'))).toBe('2/3');
  await store.switchToSibling(store.getMessageSiblingInfo('a2')!.nextId!);
  await until(store, 'q a3');
  // There is no other version.
  expect(arrows(store.getMessageSiblingInfo('q'))).toBe('1/1');
});

test('"Loads the full thread from the selected sibling down to its most recent leaf"', async () => {
  const store = await openChat('q', 'a', 'more', 'end');
  await store.edit('more', 'newer', { id: 'newer' });
  await store.regenerate('a', 'a2', { id: 'a2' });
  await until(store, 'q a2');
  const epoch = store.getState().threadEpoch;
  await store.switchToSibling('a');
  await until(store, 'q a newer');
  expect(store.getState().threadEpoch).toBe(epoch + 1);
});

test('"Root messages have a null parent. This creates a tree where each node can have multiple children (siblings)"', async () => {
  const store = await openChat('q', 'a');
  await store.edit('q', 'q2', { id: 'q2' });
  await until(store, 'q2');
  expect(store.getState().thread[0]).toMatchObject({ id: 'q2', parentId: null });
  expect(arrows(store.getMessageSiblingInfo('q2'))).toBe('2/2');
  await store.switchToSibling('q');
  await store.when(() => shown(store) === 'q a');
});

test('"threadEpoch - a counter that bumps on thread switches, used as a React key to remount useChat"', async () => {
  const message = (id: string, parentId: string | null, seq: number) => ({ id, parentId, seq });
  const store = createStore(
    withThreads<ReturnType<typeof message>, { messages: ReturnType<typeof message>[] }>(() => ({ messages: [] })),
  );
  const mounted: string[] = [];
  /** Like useChat in an application: it reads the thread only when it mounts. */
  function Chat({ thread }: { thread: string }): ReactNode {
    useEffect(() => void mounted.push(thread), []);
    return thread;
  }
  function Keyed(): ReactNode {
    const { threadEpoch, messages } = useStore(store);
    return h(Chat, { key: threadEpoch, thread: messages.map(({ id }) => id).join(' ') });
  }
  const all = [message('q', null, 1), message('a', 'q', 2), message('a2', 'q', 3)];
  store.getState().setAllMessages(all);
  const view = render(h(Keyed));
  await expect.poll(() => mounted).toEqual(['q a2']);
  store.getState().setAllMessages([...all, message('more', 'a2', 4)]);
  await expect.poll(() => view.text()).toBe('q a2 more');
  store.getState().switchToSibling('a2', 'prev');
  await expect.poll(() => mounted).toEqual(['q a2', 'q a']);
});
