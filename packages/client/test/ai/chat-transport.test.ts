/** ParleyChatTransport with answers that the page writes; `npm run conformance` tests it with useChat. */
import type { UIMessageChunk } from 'ai';
import { expect, test } from 'vitest';
import { ParleyChatTransport } from '../../src/ai/chat-transport.js';
import { abandon, openTab, shown, startChat, valueOf } from '../open-parley.js';
import { openModel } from './chat-page.js';

/** A draft with these chunks whose writer has died, and a page that loads later. */
async function openAbandoned(...chunks: UIMessageChunk[]) {
  const server = await startChat('q');
  const [writing, reading] = [openTab(server), openTab(server)];
  const store = writing.thread('c');
  await store.open();
  const writer = valueOf(await store.write());
  writer.append(...chunks);
  const page = reading.thread('c');
  await page.open();
  await page.when(({ drafts }) => drafts[0]?.chunks.length === chunks.length);
  await abandon(server);
  const transport = new ParleyChatTransport({ parley: reading.parley, answer: { sendMessages: openModel().answer } });
  return { server, page, writer, stream: await transport.reconnectToStream({ chatId: 'c' }) };
}

test('a page that reconnects to an answer without a writer reads it, and saves it as incomplete', async () => {
  const chunks: UIMessageChunk[] = [
    { type: 'start' },
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'half' },
  ];
  const { page, writer, stream } = await openAbandoned(...chunks);
  const read: UIMessageChunk[] = [];
  for await (const chunk of stream!) read.push(chunk);
  expect(read).toEqual([...chunks, { type: 'abort' }]);
  await page.when(({ drafts }) => drafts.length === 0);
  expect(shown(page)).toBe('q half');
  expect(page.getState().thread.at(-1)).toMatchObject({
    id: writer.id,
    data: { role: 'assistant', metadata: { status: 'incomplete' } },
  });
});

test('a page that reconnects to an empty answer without a writer discards it', async () => {
  const { server, stream } = await openAbandoned({ type: 'start' });
  expect(stream).toBeNull();
  const { data } = await server.ask('{ chat(id: "c") { messageCount drafts { edges { node { id } } } } }');
  expect(data).toEqual({ chat: { messageCount: 1, drafts: { edges: [] } } });
});

test('a request that the page aborts before its response rejects with the reason', async () => {
  const aborting = new AbortController();
  const pending: typeof fetch = (_, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error));
      aborting.abort();
    });
  const transport = new ParleyChatTransport({ api: 'http://127.0.0.1/api/chat', fetch: pending });
  const messages = [{ id: 'm', role: 'user' as const, parts: [{ type: 'text' as const, text: 'Why?' }] }];
  const request = { chatId: 'c', trigger: 'submit-message' as const, messageId: undefined, messages };
  await expect(transport.sendMessages({ ...request, abortSignal: aborting.signal })).rejects.toMatchObject({
    name: 'AbortError',
  });
});
