/** Files of messages for a model: in the same process, and over a server. */
import { ContextEngine, RemoteStore, user, XmlRenderer, type ContextStore, type OmittedFile } from '@parley/context';
import type { AnswerCall } from '@parley/context/answer';
import { jsonSchema, type ToolSet } from 'ai';
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openContextStore } from '../../../src/exports/parley.js';
import { PNG, sha256, startFileServer } from '../../../test/features/files/file-server.js';
import { emptyDatabaseUrl } from '../../../test/support/database/temporary-database.js';
import { streamParts } from './sdk-page.js';
import { post, serve, userMessage, type Message } from './chat-pages.js';

const renderer = new XmlRenderer();
const part = (content: Uint8Array, filename: string, mediaType = 'image/png') => ({
  type: 'file',
  mediaType,
  filename,
  url: `parley:file:${sha256(content)}`,
});
const dataUrl = (content: Uint8Array, mediaType = 'image/png') =>
  `data:${mediaType};base64,${Buffer.from(content).toString('base64')}`;

/** Bytes of a PNG of some size. */
const pngOf = (size: number) => Buffer.concat([PNG, Buffer.alloc(size - PNG.length)]);
const SMALL = pngOf(10_000);
const MIDDLE = pngOf(20_000);
const LARGE = pngOf(40_000);

/** A store with a chat `c` whose messages contain these files, as Ann saved them. */
async function withChat(store: ContextStore, ...contents: Uint8Array[]) {
  await store.createChat({ id: 'c', userId: 'ann' });
  const messages = contents.map((content, n) => ({
    id: `m${n}`,
    name: 'user',
    content: {
      data: {
        role: 'user',
        parts: [
          { type: 'file', mediaType: 'image/png', filename: `${n}.png`, url: dataUrl(content) },
          { type: 'text', text: `Image ${n}` },
        ],
      },
    },
  }));
  await store.saveMessages('c', messages);
  return { store, engine: new ContextEngine({ store, chatId: 'c', userId: 'ann' }) };
}

async function openRemote() {
  const server = await startFileServer();
  const ann = await server.as('ann');
  return { server, store: new RemoteStore({ url: server.url, headers: { authorization: `Bearer ${ann.token}` } }) };
}

async function openInProcess(databaseUrl = emptyDatabaseUrl(), viewer = { userId: 'ann', isAdmin: false }) {
  const store = await openContextStore({ databaseUrl, migrate: true, viewer });
  onTestFinished(() => store.close());
  return store;
}

const stores: [string, () => Promise<ContextStore>][] = [
  ['remote', async () => (await openRemote()).store],
  ['in-process', openInProcess],
];

test.each(stores)(
  '%s: a store moves long data URLs into files, and resolve returns their data',
  async (_name, open) => {
    const { store, engine } = await withChat(await open(), SMALL);
    const [saved] = await store.getMessages('c');
    expect(saved?.data).toMatchObject({ parts: [part(SMALL, '0.png'), { text: 'Image 0' }] });
    const { messages } = await engine.resolve({ renderer });
    expect(messages).toMatchObject([{ parts: [{ ...part(SMALL, '0.png'), url: dataUrl(SMALL) }, {}] }]);
    const kept = await engine.resolve({ renderer, files: { as: 'reference' } });
    expect(kept.messages).toMatchObject([{ parts: [part(SMALL, '0.png'), {}] }]);

    await store.startDraft('c', { id: 'd', parentId: 'm0', name: 'assistant' });
    const image = { type: 'file', mediaType: 'image/png', url: dataUrl(LARGE) };
    const finished = await store.finishDraft('c', 'd', { data: { role: 'assistant', parts: [image] } });
    expect(finished.messages[0]?.data).toMatchObject({ parts: [{ url: `parley:file:${sha256(LARGE)}` }] });
  },
);

test.each(stores)('the newest files of a %s store fit the budget, and others become texts', async (_name, open) => {
  const { engine } = await withChat(await open(), SMALL, LARGE, MIDDLE);
  const omitted: OmittedFile[] = [];
  const files = { maxBytes: 35_000, onOmitted: (each: OmittedFile[]) => omitted.push(...each) };
  const { messages } = await engine.resolve({ renderer, files });
  expect(messages.map(({ parts }) => parts[0])).toEqual([
    { ...part(SMALL, '0.png'), url: dataUrl(SMALL) },
    { type: 'text', text: '[File "1.png" (image/png, 40000 bytes) is omitted: it exceeds the size of the request]' },
    { ...part(MIDDLE, '2.png'), url: dataUrl(MIDDLE) },
  ]);
  const fileId = sha256(LARGE);
  expect(omitted).toEqual([
    { messageId: 'm1', fileId, name: '1.png', mediaType: 'image/png', size: 40_000, reason: 'budget' },
  ]);
});

test.each(stores)(
  'in a %s store, a reference in an unsaved message, and an id of another message, prove nothing',
  async (_name, open) => {
    const { store, engine } = await withChat(await open(), SMALL);
    await store.saveMessages('c', [{ id: 'm1', name: 'user', content: { text: 'No file' } }]);
    expect(await store.readFile({ fileId: sha256(SMALL), messageId: 'm0' })).toMatchObject({ size: 10_000 });
    expect(await store.readFile({ fileId: sha256(SMALL), messageId: 'm1' })).toBeNull();
    expect(await store.readFile({ fileId: sha256(SMALL), messageId: 'unknown' })).toBeNull();
    expect(await store.readFile({ fileId: '../export', messageId: 'm0' })).toBeNull();
    engine.set(user({ id: 'new', role: 'user', parts: [part(SMALL, 'new.png')] }));
    const { messages } = await engine.resolve({ renderer });
    expect(messages.at(-1)?.parts).toEqual([{ type: 'text', text: '[File "new.png" (image/png) is not available]' }]);
  },
);

test('a user reads no file of another user', async () => {
  const databaseUrl = emptyDatabaseUrl();
  await withChat(await openInProcess(databaseUrl), SMALL);
  const bob = await openInProcess(databaseUrl, { userId: 'bob', isAdmin: false });
  expect(await bob.readFile({ fileId: sha256(SMALL), messageId: 'm0' })).toBeNull();
});

test('signed URLs need a server', async () => {
  const { store: remote } = await openRemote();
  const { engine } = await withChat(remote, SMALL);
  const files = { as: 'url' } as const;
  const { messages } = await engine.resolve({ renderer, files });
  const { url, ...rest } = messages[0]!.parts[0]!;
  expect(rest).toEqual({ type: 'file', mediaType: 'image/png', filename: '0.png' });
  expect(Buffer.from(await (await fetch(url as string)).arrayBuffer())).toEqual(SMALL);
  const { engine: local } = await withChat(await openInProcess(), SMALL);
  await expect(local.resolve({ renderer, files })).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
  await expect(local.resolve({ renderer, files: { maxBytes: -1 } })).rejects.toMatchObject({ path: 'files.maxBytes' });
});

test('an answer handler gives files to the model, and reports those that it omits', async () => {
  const { store } = await openRemote();
  const calls: AnswerCall[] = [];
  const onOmitted = vi.fn<(files: OmittedFile[]) => void>();
  const api = await serve({
    store,
    userId: 'ann',
    files: { maxBytes: 30_000, onOmitted },
    stream: (call) => {
      calls.push(call);
      return (async function* () {
        yield 'A dot.';
      })();
    },
  });
  const parts = [SMALL, LARGE].map((content, n) => ({ ...part(content, `${n}.png`), url: dataUrl(content) }));
  await (await post(api, [{ id: 'q', role: 'user', parts }])).text();
  expect(calls[0]?.messages[0]?.parts).toEqual([
    { ...part(SMALL, '0.png'), url: dataUrl(SMALL) },
    { type: 'text', text: '[File "1.png" (image/png, 40000 bytes) is omitted: it exceeds the size of the request]' },
  ]);
  expect(onOmitted).toHaveBeenCalledWith([expect.objectContaining({ name: '1.png', reason: 'budget' })]);
});

/** Messages whose last tool call has this output. */
async function withOutput(store: ContextStore, output: unknown) {
  const { engine } = await withChat(store, SMALL);
  const call = { type: 'tool-plot', toolCallId: 'p', state: 'output-available', input: {}, output };
  const data = { role: 'assistant', parts: [call] };
  await store.saveMessages('c', [{ id: 'a', name: 'assistant', content: { data } }]);
  return { engine, call };
}

test.each(stores)(
  'a file in the output of a tool is a text, or data for a tool with content, from a %s store',
  async (_name, open) => {
    const image = { filename: 'plot.png', data: dataUrl(MIDDLE) };
    const { engine, call } = await withOutput(await open(), { images: [image], text: part(MIDDLE, '').url });
    const omitted: OmittedFile[] = [];
    const noted = await engine.resolve({ renderer, files: { onOmitted: (files) => omitted.push(...files) } });
    const text = '[File "plot.png" (image/png, 20000 bytes)]';
    const outputOf = (data: string) => ({ images: [{ ...image, data }], text: part(MIDDLE, '').url });
    expect(noted.messages.at(-1)?.parts).toEqual([{ ...call, output: outputOf(text) }]);
    expect(omitted).toMatchObject([{ messageId: 'a', name: 'plot.png', size: 20_000, reason: 'tool' }]);
    const output = async (files: object) =>
      (await engine.resolve({ renderer, files })).messages.at(-1)?.parts[0]?.['output'];
    expect(await output({ tools: ['plot'] })).toEqual(outputOf(image.data));
    expect(await output({ tools: ['plot'], maxBytes: 100 })).toEqual(
      outputOf(`${text.slice(0, -1)} is omitted: it exceeds the size of the request]`),
    );
    // Nothing of a call changes what the store has cached.
    expect(await output({ as: 'reference' })).toEqual(outputOf(part(MIDDLE, '').url));
    await expect(output({ tools: 'plot' })).rejects.toMatchObject({ path: 'files.tools' });
  },
);

test('signed URLs replace files in the output of a tool with content', async () => {
  const { engine } = await withOutput((await openRemote()).store, dataUrl(MIDDLE));
  const { messages } = await engine.resolve({ renderer, files: { as: 'url', tools: ['plot'] } });
  const url = messages.at(-1)?.parts[0]?.['output'] as string;
  expect(Buffer.from(await (await fetch(url)).arrayBuffer())).toEqual(MIDDLE);
});

test('an answer handler gives files to the tools that convert their outputs', async () => {
  const { store } = await openRemote();
  await withOutput(store, { data: dataUrl(MIDDLE) });
  const chunks = streamParts('A plot.', { inputTokens: { total: 1 }, outputTokens: { total: 1 } }, (raw) => ({
    unified: raw,
    raw,
  }));
  const model = new MockLanguageModelV3({
    doStream: { stream: simulateReadableStream({ chunks: chunks as never[] }) },
  });
  const plot: ToolSet[string] = {
    inputSchema: jsonSchema({ type: 'object' }),
    toModelOutput: ({ output }: { output: { data: string } }) => {
      const data = output.data.split(',')[1]!;
      return { type: 'content' as const, value: [{ type: 'image-data' as const, mediaType: 'image/png', data }] };
    },
  };
  const api = await serve({ store, userId: 'ann', model, tools: { plot } });
  const sent = (await store.getMessages('c')).map(({ id, data }) => ({ ...(data as Message), id }));
  await (await post(api, [...sent, userMessage('q', 'Again')])).text();
  const result = model.doStreamCalls[0]?.prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []));
  const value = [{ type: 'image-data', mediaType: 'image/png', data: MIDDLE.toString('base64') }];
  expect(result).toMatchObject([{ toolName: 'plot', output: { type: 'content', value } }]);
});
