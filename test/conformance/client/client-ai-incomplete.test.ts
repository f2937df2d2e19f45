/** Incomplete answers of useChat: the page was closed, or the stream ended within a part. */
import { convertToModelMessages, type UIMessage } from 'ai';
import { describe, expect, test } from 'vitest';
import { startListening } from '../../support/server/listening-server.js';
import { abandonDrafts, closeWhileAnswering, openPage, savedThread, send, stored, texts, until } from './chat-page.js';

describe('after the page was closed while it answered', () => {
  test('the next message follows the incomplete answer', async () => {
    const server = await startListening();
    const page = openPage(server, { messages: await closeWhileAnswering(server, 'To Li') });
    await send(page, 'And then?', 'To Porto.');
    expect(page.errors).toEqual([]);
    const thread = await savedThread(server);
    expect(texts(thread)).toEqual(['Where to?', 'To Li', 'And then?', 'To Porto.']);
    expect(thread[1]).toMatchObject({ metadata: { status: 'incomplete' } });
    expect(JSON.stringify(thread)).not.toContain('streaming');
    expect(thread.map(({ id }) => id)).toEqual(page.chat.messages.map(({ id }) => id));
  });

  test('a reloaded page ends the answer as incomplete, and shows it to its end', async () => {
    const server = await startListening();
    const messages = await closeWhileAnswering(server, 'To Li');
    const page = openPage(server, { messages: messages.slice(0, 1) });
    await page.chat.resumeStream();
    expect(page.chat.status).toBe('ready');
    expect(texts(page.chat.messages)).toEqual(['Where to?', 'To Li']);
    expect((await savedThread(server))[1]).toMatchObject({
      id: page.chat.messages[1]!.id,
      metadata: { status: 'incomplete' },
    });
  });

  test('the next message follows the answer that another tab has finished', async () => {
    const server = await startListening();
    const messages = await closeWhileAnswering(server, 'To Li');
    const id = messages[1]!.id;
    await server.ask(`mutation { finishDraft(input: { chatId: "c", id: "${id}" }) { __typename } }`);
    const page = openPage(server, { messages });
    await send(page, 'And then?', 'To Porto.');
    expect(texts(await savedThread(server))).toEqual(['Where to?', 'To Li', 'And then?', 'To Porto.']);
  });

  test('the next message follows the question of an answer that another tab has discarded', async () => {
    const server = await startListening();
    const messages = await closeWhileAnswering(server, 'To Li');
    await server.ask(`mutation { discardDraft(input: { chatId: "c", id: "${messages[1]!.id}" }) { __typename } }`);
    const page = openPage(server, { messages });
    await send(page, 'And then?', 'To Porto.');
    expect(page.errors).toEqual([]);
    expect(texts(await savedThread(server))).toEqual(['Where to?', 'And then?', 'To Porto.']);
  });

  test('another answer ends it, and is its sibling', async () => {
    const server = await startListening();
    const page = openPage(server, { messages: await closeWhileAnswering(server, 'To Li') });
    const again = page.chat.regenerate();
    await page.model.requests(1);
    page.model.words('To Porto.');
    page.model.end();
    await again;
    expect(await stored(server)).toEqual({ messages: 3, drafts: [] });
  });
});

test.each<[string, (words: string, model: ReturnType<typeof openPage>['model']) => void]>([
  ['in a text', (words, model) => model.words(words)],
  [
    'in a reasoning',
    (words, model) =>
      model.send({ type: 'reasoning-start', id: 'r' }, { type: 'reasoning-delta', id: 'r', delta: words }),
  ],
  [
    'in the input of a tool',
    (words, model) =>
      model.send(
        { type: 'tool-input-start', toolCallId: 't', toolName: 'place' },
        { type: 'tool-input-delta', toolCallId: 't', inputTextDelta: `{"of":"${words}` },
      ),
  ],
  [
    'before the input of a tool',
    (_words, model) => model.send({ type: 'tool-input-start', toolCallId: 't', toolName: 'place' }),
  ],
  ['before the output of a tool', (_words, model) => model.callTool('t')],
  [
    'before the output of a tool of the provider',
    (_words, model) =>
      model.send({ type: 'tool-input-available', toolCallId: 't', toolName: 's', input: {}, providerExecuted: true }),
  ],
])('an answer that ends %s is incomplete, and models accept it', async (_name, sendParts) => {
  const server = await startListening();
  const stopped = openPage(server);
  const sent = stopped.chat.sendMessage({ text: 'Where to?' });
  await stopped.model.requests(1);
  sendParts('To Li', stopped.model);
  await until(async () => {
    const { data } = await server.ask('{ chat(id: "c") { drafts { edges { node { length } } } } }');
    const { edges } = (data as { chat: { drafts: { edges: { node: { length: number } }[] } } }).chat.drafts;
    expect(edges[0]?.node.length).toBeGreaterThan(2);
  });
  const closed = stopped.chat.messages;
  const { data } = await server.ask('{ chat(id: "c") { drafts { edges { node { id chunks } } } } }');
  type Listed = { edges: { node: { id: string; chunks: unknown[] } }[] };
  const { chunks } = (data as { chat: { drafts: Listed } }).chat.drafts.edges[0]!.node;
  await stopped.chat.stop();
  await sent;
  await until(async () => expect(await stored(server)).toEqual({ messages: 2, drafts: [] }));

  // The same chunks, from a writer that has ended.
  const input = { chatId: 'c', at: { message: closed[0]!.id } };
  await server.ask(`mutation ($input: StartDraftInput!) { startDraft(input: $input) { __typename } }`, {
    input: { ...input, id: 'left' },
  });
  await server.ask(`mutation ($input: AppendToDraftInput!) { appendToDraft(input: $input) { __typename } }`, {
    input: { chatId: 'c', id: 'left', offset: 0, chunks },
  });
  await abandonDrafts(server.databaseUrl);
  const reloaded = openPage(server, { messages: closed.slice(0, 1), leafId: () => closed[0]!.id });
  await reloaded.chat.resumeStream();

  const answer = (await server.ask('{ chat(id: "c") { messages(first: 9) { edges { node { id data } } } } }')).data as {
    chat: { messages: { edges: { node: { id: string; data: UIMessage } }[] } };
  };
  const [question, ...answers] = answer.chat.messages.edges.map(({ node }) => ({ ...node.data, id: node.id }));
  expect(answers.map(({ metadata }) => metadata)).toEqual([{ status: 'incomplete' }, { status: 'incomplete' }]);
  expect(answers[1]!.parts).toEqual(answers[0]!.parts);
  expect(JSON.stringify(answers)).not.toContain('streaming');
  for (const each of answers) {
    const model = await convertToModelMessages([question!, each]);
    const calls = JSON.stringify(model).match(/"tool-call"/g) ?? [];
    expect(JSON.stringify(model).match(/"tool-result"/g) ?? []).toHaveLength(calls.length);
  }
});
