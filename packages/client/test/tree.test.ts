/** The tree utilities of the seed, by name and sentence. */
import { describe, expect, test } from 'vitest';
import {
  buildChildrenMap,
  buildThreadFromLeaf,
  findLeafDfsToRightFromMessageId,
  getDefaultThread,
} from '../src/tree/tree.js';

/** Messages by id and parent, in the order of saving. */
const tree = (...edges: string[]) =>
  edges.map((edge, n) => {
    const [id = '', parentId = null] = edge.split('<');
    return { id, parentId, seq: n + 1 };
  });
const ids = (messages: readonly { id: string }[]) => messages.map(({ id }) => id).join(' ');

/** A question with two answers, the first of which has a follow-up, and another version of the question. */
const CHAT = tree('q', 'a1<q', 'a2<q', 'more<a1', 'q2', 'end<more');
const LONG = 100_000;
const deep = Array.from({ length: LONG }, (_, n) => ({
  id: `${n}`,
  parentId: n === 0 ? null : `${n - 1}`,
  seq: n + 1,
}));
const wide = Array.from({ length: LONG }, (_, n) => ({ id: `${n}`, parentId: n === 0 ? null : '0', seq: n + 1 }));

describe('buildThreadFromLeaf "walks parentMessageId links from a leaf to the root to construct the active thread"', () => {
  test('is root first, for messages in any order', () => {
    expect(ids(buildThreadFromLeaf(CHAT, 'end'))).toBe('q a1 more end');
    expect(ids(buildThreadFromLeaf(CHAT.toReversed(), 'a2'))).toBe('q a2');
    expect(buildThreadFromLeaf(CHAT, 'q')[0]).toBe(CHAT[0]);
  });
  test('is empty for a missing leaf, and begins where a parent is missing', () => {
    expect(buildThreadFromLeaf(CHAT, 'nobody')).toEqual([]);
    expect(ids(buildThreadFromLeaf(CHAT.slice(2), 'end'))).toBe('more end');
  });
  test('reads rows whose parent is parentMessageId, and refuses rows without a parent', () => {
    const rows = CHAT.map(({ parentId, ...row }) => ({ ...row, parentMessageId: parentId }));
    expect(ids(buildThreadFromLeaf(rows, 'end'))).toBe('q a1 more end');
    expect(ids(getDefaultThread(rows))).toBe('q a1 more end');
    expect(ids(buildChildrenMap(rows).get('q')!)).toBe('a1 a2');
    const [{ parentId: _, ...bare }] = tree('q') as [(typeof CHAT)[number]];
    expect(() => getDefaultThread([bare as never])).toThrow('Message q has neither parentId nor parentMessageId');
  });
  test('terminates for a cycle of parents', () => {
    expect(ids(buildThreadFromLeaf(tree('x<z', 'y<x', 'z<y'), 'z'))).toBe('x y z');
  });
  test('walks 100,000 messages', () => {
    expect(buildThreadFromLeaf(deep, `${LONG - 1}`)).toEqual(deep);
    expect(ids(buildThreadFromLeaf(wide, `${LONG - 1}`))).toBe(`0 ${LONG - 1}`);
  });
});

describe('buildChildrenMap "creates a parent-to-children index sorted by creation time"', () => {
  test('has the roots under null, and no list under a leaf', () => {
    const children = buildChildrenMap(CHAT);
    expect(ids(children.get(null)!)).toBe('q q2');
    expect(ids(children.get('q')!)).toBe('a1 a2');
    expect(children.has('end')).toBe(false);
  });
  test('sorts by the order of saving, because times may be equal or inverted', () => {
    const [first, second] = tree('first<p', 'second<p').map((message, n) => ({ ...message, createdAt: -n }));
    expect(ids(buildChildrenMap([second!, first!]).get('p')!)).toBe('first second');
  });
  test('handles 100,000 messages that are deep, wide or reversed', () => {
    expect(buildChildrenMap(deep).size).toBe(LONG);
    expect(buildChildrenMap(wide.toReversed()).get('0')).toEqual(wide.slice(1));
  });
});

describe('messages without seq, from other systems,', () => {
  const at = (id: string, parentId: string | null, createdAt: number | string | Date) => ({ id, parentId, createdAt });
  const chat = [
    at('a2', 'q', '2026-01-31T12:00:02Z'),
    at('q', null, new Date('2026-01-31T12:00:00Z')),
    at('a1', 'q', Date.UTC(2026, 0, 31, 12, 0, 1)),
    at('more', 'a1', '2026-01-31T12:00:03Z'),
  ];
  test('have children in the order of creation', () => {
    expect(ids(buildChildrenMap(chat).get('q')!)).toBe('a1 a2');
    expect(findLeafDfsToRightFromMessageId(buildChildrenMap(chat), 'q')?.id).toBe('a2');
  });
  test('have the newest leaf as default, also when all times are equal', () => {
    expect(ids(getDefaultThread(chat))).toBe('q a1 more');
    const same = chat.map((message) => ({ ...message, createdAt: 0 }));
    expect(ids(getDefaultThread(same))).toBe('q a1 more');
    expect(ids(getDefaultThread(same.toReversed()))).toBe('q a2');
    expect(ids(buildChildrenMap(same).get('q')!)).toBe('a2 a1');
  });
});

describe('getDefaultThread "finds the most recent leaf and builds the thread to it"', () => {
  test('leads to the message that was saved last', () => {
    expect(ids(getDefaultThread(CHAT))).toBe('q a1 more end');
    expect(ids(getDefaultThread(CHAT.slice(0, 5)))).toBe('q2');
    expect(getDefaultThread([])).toEqual([]);
  });
  test('handles 100,000 messages', () => {
    expect(getDefaultThread(deep)).toHaveLength(LONG);
    expect(getDefaultThread(wide)).toHaveLength(2);
  });
});

describe('findLeafDfsToRightFromMessageId "DFS to find the rightmost leaf from a given node (used when switching branches)"', () => {
  test('selects the newest child at every step', () => {
    const children = buildChildrenMap(CHAT);
    expect(findLeafDfsToRightFromMessageId(children, 'q')?.id).toBe('a2');
    expect(findLeafDfsToRightFromMessageId(children, 'a1')?.id).toBe('end');
  });
  test('is the message itself for a leaf, and null for a missing message', () => {
    const children = buildChildrenMap(CHAT);
    expect(findLeafDfsToRightFromMessageId(children, 'q2')).toBe(CHAT[4]);
    expect(findLeafDfsToRightFromMessageId(children, 'nobody')).toBeNull();
  });
  test('terminates for a cycle of parents', () => {
    expect(findLeafDfsToRightFromMessageId(buildChildrenMap(tree('x<y', 'y<x')), 'x')).not.toBeNull();
  });
  test('descends 100,000 messages', () => {
    expect(findLeafDfsToRightFromMessageId(buildChildrenMap(deep), '0')?.id).toBe(`${LONG - 1}`);
    expect(findLeafDfsToRightFromMessageId(buildChildrenMap(wide), '0')?.id).toBe(`${LONG - 1}`);
  });
});
