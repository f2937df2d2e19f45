/** Hashes of messages, chained from the root, and sums of the usage that messages state. */
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { openParley, type Parley } from '../support/server/parley.js';

let parley: Parley;
beforeEach(async () => {
  parley = await openParley();
  await ask('mutation { createChat(input: { id: "c" }) { __typename } }');
});

async function ask(query: string, variables: object = {}): Promise<Record<string, unknown>> {
  const response = await parley.post(JSON.stringify({ query, variables }));
  const { data, errors } = (await response.json()) as { data: Record<string, unknown>; errors?: unknown };
  expect(errors).toBeUndefined();
  return data;
}

const SAVE = `mutation ($messages: [MessageInput!]!, $at: PositionInput) {
  saveMessages(input: { chatId: "c", messages: $messages, at: $at }) {
    __typename
    ... on SaveMessagesPayload { messages { id } }
    ... on Error { message }
  }
}`;

async function save(messages: readonly object[], parentId?: string): Promise<void> {
  const { saveMessages } = await ask(SAVE, { messages, at: parentId && { message: parentId } });
  expect(saveMessages).toMatchObject({ __typename: 'SaveMessagesPayload' });
}

const message = (id: string, data: unknown, name = 'user') => ({ id, name, content: { data } });

interface Read {
  id: string;
  parentId: string | null;
  createdAt: string;
  contentHash: string | null;
}

async function allMessages(): Promise<Map<string, Read>> {
  const { chat } = (await ask(
    '{ chat(id: "c") { messages { edges { node { id parentId createdAt contentHash } } } } }',
  )) as {
    chat: { messages: { edges: { node: Read }[] } };
  };
  return new Map(chat.messages.edges.map(({ node }) => [node.id, node]));
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('contentHash', () => {
  test('is SHA-256 over the canonical form, without ids, chained from the root', async () => {
    await save([
      message('a', { role: 'user', id: 'a', parts: [{ type: 'text', text: 'é' }], n: [1e21, 1e-7] }),
      { id: 'b', name: 'assistant', type: 'note', content: { data: 'text' } },
    ]);
    const all = await allMessages();
    const [a, b] = [all.get('a')!, all.get('b')!];
    const data = '{"n":[1e+21,1e-7],"parts":[{"text":"é","type":"text"}],"role":"user"}';
    expect(a.contentHash).toBe(
      sha256(`{"createdAt":"${a.createdAt}","data":${data},"name":"user","parent":null,"sources":[],"type":"message"}`),
    );
    expect(b.contentHash).toBe(
      sha256(
        `{"createdAt":"${b.createdAt}","data":"text","name":"assistant","parent":"${a.contentHash}","sources":[],"type":"note"}`,
      ),
    );
  });

  test('is that of equal content in any key order, and that of texts without the ids of their UI messages', async () => {
    await save([message('r', { a: 1, b: { c: 2, d: 3 } }), { id: 'x', name: 'user', content: { text: 'one' } }]);
    await save(
      [{ id: 'y', name: 'user', content: { data: { parts: [{ text: 'one', type: 'text' }], role: 'user' } } }],
      'r',
    );
    const all = await allMessages();
    const [x, y] = [all.get('x')!, all.get('y')!];
    const canonical = (createdAt: string) =>
      `{"createdAt":"${createdAt}","data":{"parts":[{"text":"one","type":"text"}],"role":"user"},"name":"user",` +
      `"parent":"${all.get('r')!.contentHash}","sources":[],"type":"message"}`;
    expect([x.contentHash, y.contentHash]).toEqual([x, y].map(({ createdAt }) => sha256(canonical(createdAt))));
  });

  test('is computed on every path, in every way of saving', async () => {
    await save(['1', '2', '3', '4', '5', '6', '7'].map((id) => message(id, id)));
    // A known id edits: its parent is on the ladder of the head.
    await save([message('8', '8'), message('4', 'other'), message('9', '9')]);
    await save([message('10', '10')], '2');
    await ask(`mutation {
      editMessage(input: { chatId: "c", messageId: "1", id: "11", content: { text: "x" } }) { __typename }
      startDraft(input: { chatId: "c", id: "d", name: "assistant" }) { __typename }
      appendToDraft(input: { chatId: "c", id: "d", offset: 0, chunks: ["drafted"] }) { __typename }
      finishDraft(input: { chatId: "c", id: "d" }) { __typename }
    }`);
    const all = await allMessages();
    expect(all.size).toBe(13);
    for (const { id, contentHash } of all.values())
      expect([id, contentHash]).toEqual([id, expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(new Set([...all.values()].map(({ contentHash }) => contentHash)).size).toBe(13);
  });
});

describe('usage', () => {
  const answer = (id: string, model: string | null, inputTokens: number, outputTokens?: number) =>
    message(
      id,
      { parts: [], metadata: { ...(model !== null && { model }), usage: { inputTokens, outputTokens } } },
      'assistant',
    );
  const FIELDS = 'usage { model messages inputTokens outputTokens reasoningTokens cachedInputTokens }';
  const usageOf = (
    model: string | null,
    messages: number,
    inputTokens: number,
    outputTokens: number | null = null,
  ) => ({
    ...{ model, messages, inputTokens, outputTokens, reasoningTokens: null, cachedInputTokens: null },
  });

  test('is summed by model over the path of a branch, and over all messages of the chat', async () => {
    await save([message('q', 'question'), answer('a', 'big', 10, 5), answer('b', null, 1)]);
    await save([answer('other', 'small', 100)], 'q');
    await save([answer('more', 'small', 1, 2), message('last', 'text')]);
    const { chat } = (await ask(`{ chat(id: "c") { ${FIELDS} branches { edges { node { name ${FIELDS} } } } } }`)) as {
      chat: { usage: unknown; branches: { edges: { node: unknown }[] } };
    };
    expect(chat.branches.edges.map(({ node }) => node)).toEqual([
      { name: 'main', usage: [usageOf('big', 1, 10, 5), usageOf(null, 1, 1)] },
      { name: 'main-v2', usage: [usageOf('small', 2, 101, 2)] },
    ]);
    expect(chat.usage).toEqual([usageOf('big', 1, 10, 5), usageOf(null, 1, 1), usageOf('small', 2, 101, 2)]);
  });
});
