import { describe, expect, it } from 'vitest';
import { isThorough } from '../../../support/effort.js';
import { databaseForEach } from '../../../support/database/database-scope.js';
import { conversation, message, nodeOf, type Conversation } from './chatgpt-export.js';
import { deepest, importContent, importedChats, onlyChat } from '../imported-chats.js';

const database = databaseForEach();

/** A null root, a fork, and another fork below its second child. */
const FORKED = ['(r)', 's < r', 'a < s', 'b < a', 'c1 < b', 'd < c1', 'c2 < b', 'e1 < c2', 'e2 < c2'];

async function importOne(given: Conversation) {
  const report = await importContent(database, [given]);
  expect(report.failures.kept).toEqual([]);
  return { ...(await onlyChat(database)), warnings: report.warnings.kept };
}

describe('the tree of a ChatGPT conversation', () => {
  it('keeps forks and the order of siblings, and has a branch for each leaf', async () => {
    const chat = await importOne(conversation(FORKED, { current_node: 'e2' }));
    expect(chat.tree).toEqual(['s', 'a < s', 'b < a', 'c1 < b', 'd < c1', 'c2 < b', 'e1 < c2', 'e2 < c2']);
    expect(chat.branches).toEqual({ main: 'e2', 'main-v2': 'd', 'main-v3': 'e1' });
    expect(chat.active).toBe('main');
    expect(chat.warnings).toEqual([]);
  });

  it('has its active leaf as the head of main at any position among the leaves', async () => {
    for (const [current, branches] of [
      ['d', { main: 'd', 'main-v2': 'e1', 'main-v3': 'e2' }],
      ['e1', { main: 'e1', 'main-v2': 'd', 'main-v3': 'e2' }],
    ] as const) {
      await importContent(database, [conversation(FORKED, { current_node: current, conversation_id: current })]);
      expect((await importedChats(database))[current]?.branches).toEqual(branches);
    }
  });

  it('has main at an active node that is no leaf, and branches for the leaves below', async () => {
    const chat = await importOne(conversation(FORKED, { current_node: 'b' }));
    expect(chat.branches).toEqual({ main: 'b', 'main-v2': 'd', 'main-v3': 'e1', 'main-v4': 'e2' });
  });

  it('has main at the newest leaf, with a warning, if current_node is missing or unknown', async () => {
    for (const current of [undefined, null, 'gone']) {
      const id = String(current);
      const report = await importContent(database, [
        conversation(FORKED, { current_node: current, conversation_id: id }),
      ]);
      expect((await importedChats(database))[id]?.branches['main']).toBe('e2');
      expect(report.warnings.kept).toEqual([expect.stringContaining('conversation 1 ("A talk"): current_node')]);
    }
  });

  it('has main at the nearest ancestor with a message if current_node has none', async () => {
    const chat = await importOne(conversation(['a', 'b < a', '(x) < b'], { current_node: 'x' }));
    expect(chat.branches).toEqual({ main: 'b' });
    expect(chat.warnings).toEqual([]);
  });

  it('orders children that their parent does not list after the listed ones', async () => {
    const given = conversation(['a', 'x < a', 'y < a', 'z < a']);
    nodeOf(given, 'a').children = ['z'];
    expect((await importOne(given)).tree).toEqual(['a', 'z < a', 'x < a', 'y < a']);
  });

  it('is read from a truncated export with dangling parents and children', async () => {
    const given = conversation(['a < gone', 'b < a'], { current_node: 'gone' });
    nodeOf(given, 'b').children = ['lost'];
    const chat = await importOne(given);
    expect(chat.tree).toEqual(['a', 'b < a']);
    expect(chat.branches).toEqual({ main: 'b' });
  });

  it('prefers the parent of a node to the children lists, which apply if it has none', async () => {
    const given = conversation(['a', 'b < a', 'c < b', 'd < c']);
    nodeOf(given, 'a').children = ['b', 'c', 'd'];
    nodeOf(given, 'd').parent = 'gone';
    expect((await importOne(given)).tree).toEqual(['a', 'b < a', 'c < b', 'd < a']);
  });

  it('has a node once if two parents list it, or one parent twice', async () => {
    const given = conversation(['a', 'b < a', 'c < b']);
    nodeOf(given, 'a').children = ['b', 'b', 'c'];
    delete nodeOf(given, 'c').parent;
    const chat = await importOne(given);
    expect(chat.tree).toEqual(['a', 'b < a', 'c < a']);
  });

  it('keeps a root that its own descendant lists as a child', async () => {
    const given = conversation(['a', 'b < a', 'c < b']);
    nodeOf(given, 'c').children = ['a', 'c'];
    expect((await importOne(given)).tree).toEqual(['a', 'b < a', 'c < b']);
  });

  it('removes one parent of each cycle with a warning, and keeps all messages', async () => {
    const [self, round, wellFormed] = [
      conversation(['a', 'x < x'], { conversation_id: 'self', title: 'Self' }),
      conversation(['a', 'x < z', 'y < x', 'z < y', 'below < z'], { conversation_id: 'round', title: 'Round' }),
      conversation(['a']),
    ];
    const report = await importContent(database, [self, round, wellFormed]);
    expect(report.failures.kept).toEqual([]);
    expect(report.warnings.kept).toEqual([
      'conversation 1 ("Self"): message x is its own ancestor: its parent was removed',
      'conversation 2 ("Round"): message x is its own ancestor: its parent was removed',
    ]);
    const chats = await importedChats(database);
    expect([chats['self']?.tree, chats['round']?.tree, chats['c1']?.tree]).toEqual([
      ['a', 'x'],
      ['a', 'x', 'y < x', 'z < y', 'below < z'],
      ['a'],
    ]);
  });

  it('chains messages without parents and children in the order of the file, with a warning', async () => {
    const given = conversation(['a', 'b', 'c']);
    for (const node of Object.values(given.mapping)) {
      delete node.parent;
      delete node.children;
    }
    const chat = await importOne(given);
    expect(chat.tree).toEqual(['a', 'b < a', 'c < b']);
    expect(chat.warnings).toEqual([
      'conversation 1 ("A talk"): its messages name no parents: each follows the one before it',
    ]);
  });

  it('keeps hidden, system and empty messages, and messages linked through them', async () => {
    const given = conversation(['(r)', 's < r', 'h < s', 'a < h']);
    nodeOf(given, 's').message = message('s', {
      author: { role: 'system' },
      content: { content_type: 'text', parts: [''] },
    });
    nodeOf(given, 'h').message = message('h', { metadata: { is_visually_hidden_from_conversation: true } });
    const chat = await importOne(given);
    expect(chat.tree).toEqual(['s', 'h < s', 'a < h']);
    expect(chat.messages.map((each) => [each.name, each.data.parts.length, each.data.metadata['hidden']])).toEqual([
      ['system', 1, undefined],
      ['user', 1, true],
      ['user', 1, undefined],
    ]);
  });

  it('imports a conversation without messages as a chat without messages', async () => {
    const chat = await importOne(conversation(['(r)']));
    expect([chat.tree, chat.branches]).toEqual([[], { main: null }]);
  });

  // Deeper than any stack.
  const DEPTH = isThorough ? 30_000 : 5_000;
  it(`imports a chain of ${DEPTH} messages`, async () => {
    const nodes = Array.from({ length: DEPTH }, (_, n) => (n === 0 ? '0n' : `${n}n < ${n - 1}n`));
    await importContent(database, [conversation(nodes)]);
    expect(await deepest(database)).toBe(DEPTH - 1);
  });

  it('imports a tree of 2,000 leaves, each on its own branch', async () => {
    const nodes = Array.from({ length: 2000 }, (_, n) => `n${n} < a`);
    const chat = await importOne(conversation(['a', ...nodes]));
    expect(Object.keys(chat.branches)).toHaveLength(2000);
    expect(chat.branches['main-v2000']).toBe('n1998');
  });
});
