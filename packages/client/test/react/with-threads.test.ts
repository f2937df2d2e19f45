/** The seed's middleware around a base chat store, one sentence per test. */
import { expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { withThreads } from '../../src/zustand/with-threads.js';

interface TestMessage {
  id: string;
  parentId: string | null;
  seq: number;
}

const tree = (...edges: string[]): TestMessage[] =>
  edges.map((edge, n) => {
    const [id = '', parentId = null] = edge.split('<');
    return { id, parentId, seq: n + 1 };
  });
const ids = (messages: readonly TestMessage[]) => messages.map(({ id }) => id).join(' ');
const CHAT = tree('q', 'a1<q', 'more<a1', 'a2<q', 'end<a2');

function open() {
  const ended: string[] = [];
  const store = createStore(
    withThreads<TestMessage, { messages: TestMessage[]; model: string }>(() => ({ messages: [], model: 'm' }), {
      stopStream: () => ended.push('stream'),
      clearBuffer: () => ended.push('buffer'),
      closeArtifacts: (left) => ended.push(ids(left)),
    }),
  );
  return { store, ended };
}

test('"allMessages - the complete message tree (all branches)", and the base store stays', () => {
  const { store } = open();
  store.getState().setAllMessages(CHAT);
  expect(store.getState().allMessages).toBe(CHAT);
  expect(ids(store.getState().messages)).toBe('q a2 end');
  expect(store.getState().model).toBe('m');
});

test('"childrenMap - reactive parent-to-children index, rebuilt when allMessages changes": kept up with', () => {
  const { store } = open();
  store.getState().setAllMessages(CHAT);
  const before = store.getState().childrenMap;
  expect(ids(before.get('q')!)).toBe('a1 a2');
  store.getState().setAllMessages([...CHAT, { id: 'a3', parentId: 'q', seq: 6 }]);
  const after = store.getState().childrenMap;
  expect(after).not.toBe(before);
  expect(ids(after.get('q')!)).toBe('a1 a2 a3');
  expect(after.get('a1')).toBe(before.get('a1'));
  store.getState().setAllMessages(CHAT.slice(0, 3));
  expect(ids(store.getState().childrenMap.get('q')!)).toBe('a1');
});

test('"getMessageSiblingInfo - looks up siblings and current index for any message"', () => {
  const { store } = open();
  store.getState().setAllMessages(CHAT);
  const { getMessageSiblingInfo } = store.getState();
  expect(getMessageSiblingInfo('a2')).toEqual({ siblings: [CHAT[1], CHAT[3]], siblingIndex: 1 });
  expect(getMessageSiblingInfo('a2')).toBe(getMessageSiblingInfo('a2'));
  expect(getMessageSiblingInfo('nobody')).toBeNull();
});

test('"switchToSibling - finds the target sibling, walks to its rightmost leaf, builds the new thread, and swaps it in"', () => {
  const { store } = open();
  store.getState().setAllMessages(CHAT);
  expect(ids(store.getState().switchToSibling('a2', 'prev')!)).toBe('q a1 more');
  expect(ids(store.getState().messages)).toBe('q a1 more');
  expect(store.getState().switchToSibling('a1', 'prev')).toBeNull();
});

test('"threadEpoch - a counter that bumps on thread switches", and not when the thread grows', () => {
  const { store } = open();
  store.getState().setAllMessages(CHAT);
  store.getState().setAllMessages([...CHAT, { id: 'last', parentId: 'end', seq: 6 }]);
  expect(ids(store.getState().messages)).toBe('q a2 end last');
  expect(store.getState().threadEpoch).toBe(0);
  store.getState().switchToSibling('a2', 'prev');
  expect(store.getState().threadEpoch).toBe(1);
});

test('"Stops any active stream. Clears buffered data. Closes artifacts that belong to the previous branch"', () => {
  const { store, ended } = open();
  store.getState().setAllMessages(CHAT);
  store.getState().switchToSibling('a2', 'prev');
  expect(ended).toEqual(['stream', 'buffer', 'a2 end']);
});

test('another tree shows its default thread', () => {
  const { store } = open();
  store.getState().setAllMessages(CHAT);
  store.getState().setAllMessages([]);
  expect(store.getState().messages).toEqual([]);
  store.getState().setAllMessages(tree('x', 'y<x'));
  expect(ids(store.getState().messages)).toBe('x y');
});
