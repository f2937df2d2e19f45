/** useParleyChat with files of a real server: messages contain references, the page shows URLs. */
import type { UIMessage } from 'ai';
import { expect, test, vi } from 'vitest';
import { PNG, sha256 } from '../../../../test/features/files/file-server.js';
import type { ParleyChatOptions } from '../../src/ai/use-parley-chat.js';
import { createFiles } from '../../src/files/files.js';
import { SaveMessages } from '../../src/generated/operations.js';
import { openTab, startChat } from '../open-parley.js';
import { openModel, openPage } from './chat-page.js';

const REFERENCE = `parley:file:${sha256(PNG)}`;
const part = (url: string) => ({ type: 'file' as const, mediaType: 'image/png', filename: 'dot.png', url });

/** A server with a message that contains an image, and a page with `files` whose requests can fail. */
async function openChat(options: Omit<ParleyChatOptions, 'files'> = {}) {
  const server = await startChat();
  const requests: string[] = [];
  const network = { isDown: false, wait: Promise.resolve() };
  const files = createFiles({
    url: server.url,
    retryDelay: () => 1,
    fetch: async (url, init) => {
      requests.push(`${init?.method ?? 'GET'} ${new URL(url as string).pathname}`);
      await network.wait;
      init?.signal?.throwIfAborted();
      if (network.isDown) throw new TypeError('fetch failed');
      return fetch(url, init);
    },
  });
  await files.uploadFile(new Blob([PNG]));
  const data = { role: 'user', parts: [part(REFERENCE)] };
  const input = { chatId: 'c', messages: [{ id: 'm', name: 'user', content: { data } }] };
  await server.tab.parley.run(SaveMessages, { input });
  const model = openModel();
  const asked: UIMessage[][] = [];
  const answer: ParleyChatOptions['answer'] = (request) => {
    asked.push(structuredClone(request.messages));
    return model.answer(request);
  };
  requests.length = 0;
  const page = openPage(openTab(server), { answer, files, ...options });
  await page.isLive();
  return { server, files, requests, network, model, asked, page };
}

const urlsOf = (message: UIMessage | undefined) =>
  (message?.parts ?? []).flatMap((each) => (each.type === 'file' ? [each.url] : []));

const contentAt = async (url: string | undefined) => Buffer.from(await (await fetch(url ?? '')).arrayBuffer());

/** As a FileList, which Node does not have. */
const listOf = (...files: File[]) => ({ ...files, length: files.length }) as unknown as FileList;

async function answered({ model, asked }: Awaited<ReturnType<typeof openChat>>, count: number) {
  await expect.poll(() => asked).toHaveLength(count);
  model.begin();
  model.words('Nice.');
  model.end();
}

test('a saved file is shown by a signed URL, in the same message object, and sent again as its reference', async () => {
  const chat = await openChat();
  const { page, requests } = chat;
  await expect.poll(() => urlsOf(page.chat.messages[0])[0]).toMatch(/^http.*signature=/);
  const [message] = page.chat.messages;
  expect(await contentAt(urlsOf(message)[0])).toEqual(PNG);
  expect(requests).toEqual(['POST /files/links']);
  expect(page.chat.thread[0]?.data).toMatchObject({ parts: [part(REFERENCE)] });

  const shown = message!.parts;
  const sent = page.chat.sendMessage({ parts: [...shown, { type: 'text', text: 'Again' }] });
  await answered(chat, 1);
  await sent;
  expect(chat.asked[0]?.map(urlsOf)).toEqual([[REFERENCE], [REFERENCE]]);
  await page.shows(' | Again | Nice.');
  expect(page.chat.messages[0]).toBe(message);
  expect(requests.every((request) => request === 'POST /files/links')).toBe(true);
});

test('an attached file is shown at once, uploaded with progress, and saved as a reference', async () => {
  const progress: unknown[] = [];
  const chat = await openChat({ onUploadProgress: (each) => progress.push(each) });
  const { page, server } = chat;
  const text = 'A long text. '.repeat(1_000);
  const sent = page.chat.sendMessage({
    text: 'Look',
    files: listOf(
      new File([PNG], 'dot.png', { type: 'image/png' }),
      new File([text], 'a.md', { type: 'text/markdown' }),
    ),
  });
  await expect.poll(() => page.chat.messages[1]).toBeDefined();
  const urls = urlsOf(page.chat.messages[1]);
  expect(urls).toEqual([expect.stringMatching(/^blob:/), expect.stringMatching(/^blob:/)]);
  await answered(chat, 1);
  await sent;
  await page.shows(' | Look | Nice.');
  const parts = [
    part(REFERENCE),
    { type: 'file', mediaType: 'text/markdown', filename: 'a.md', url: `parley:file:${sha256(text)}` },
    { type: 'text', text: 'Look' },
  ];
  expect(chat.asked[0]?.[1]?.parts).toEqual(parts);
  expect(page.chat.thread[1]?.data).toMatchObject({ parts });
  // No image is loaded again.
  expect(urlsOf(page.chat.messages[1])).toEqual(urls);
  const of = PNG.length + text.length;
  expect(progress[0]).toEqual({ bytes: 0, of });
  expect(progress.at(-1)).toEqual({ bytes: of, of });
  const { data } = await server.ask(
    '{ chat(id: "c") { activeBranch { chain { files { name file { mediaType } } } } } }',
  );
  expect(data).toMatchObject({
    chat: { activeBranch: { chain: [{}, { files: [{ name: 'dot.png' }, { name: 'a.md' }] }, {}] } },
  });
});

test('a long data URL becomes a file, and a short one stays', async () => {
  const chat = await openChat();
  const long = Buffer.concat([PNG, Buffer.alloc(10_000)]);
  const urls = [long, PNG].map((content) => `data:image/png;base64,${content.toString('base64')}`);
  const sent = chat.page.chat.sendMessage({ parts: urls.map(part) });
  await answered(chat, 1);
  await sent;
  expect(urlsOf(chat.asked[0]?.[1])).toEqual([`parley:file:${sha256(long)}`, urls[1]]);
  await chat.page.shows(' |  | Nice.');
  expect(await contentAt(urlsOf(chat.page.chat.messages[1])[0])).toEqual(long);
});

test('data URLs of saved messages stay', async () => {
  const { files, requests } = await openChat();
  requests.length = 0;
  const url = `data:image/png;base64,${Buffer.alloc(10_000, 1).toString('base64')}`;
  const messages = ['a', 'b'].map((id) => ({ id, role: 'user' as const, parts: [part(url)] }));
  expect(await files.storeFiles(messages, { isSaved: true })).toEqual(messages);
  expect(requests).toEqual([]);
  const [before, last] = await files.storeFiles(messages);
  expect([urlsOf(before), urlsOf(last)]).toEqual([[url], [`parley:file:${sha256(Buffer.alloc(10_000, 1))}`]]);
});

test('a failed upload is an error that a retry repairs, and stop removes the message', async () => {
  const chat = await openChat();
  const { page, network, files, requests } = chat;
  const [file] = files.attach([new File(['words'], 'a.txt', { type: 'text/plain' })]);
  network.isDown = true;
  await page.chat.sendMessage({ parts: [file!, { type: 'text', text: 'Read this' }] });
  await page.shows(' | Read this', 'error');
  network.isDown = false;
  const again = page.chat.retry();
  await answered(chat, 1);
  await again;
  await page.shows(' | Read this | Nice.');

  let release = () => {};
  network.wait = new Promise((resolve) => (release = resolve));
  requests.length = 0;
  const [other] = files.attach([new File(['other words'], 'b.txt')]);
  const sent = page.chat.sendMessage({ parts: [other!, { type: 'text', text: 'And this' }] });
  await expect.poll(() => requests).toContain('POST /files');
  const stopped = page.chat.stop();
  release();
  await Promise.all([sent, stopped]);
  await page.shows(' | Read this | Nice.');
  expect(chat.asked).toHaveLength(1);
});

test('signed URLs are replaced before they expire, and requested again after a failure', async () => {
  let now = Date.now();
  const links: string[] = [];
  const fetchLinks: typeof fetch = async (_url, init) => {
    links.push(init?.body as string);
    if (links.length === 1) throw new TypeError('fetch failed');
    const url = `/files/${sha256(PNG)}?n=${links.length}`;
    return Response.json({ links: [{ url, expiresAt: now + 60 * 60_000 }] });
  };
  vi.useFakeTimers({ now });
  const files = createFiles({ url: 'http://parley/graphql', retryDelay: () => 5, fetch: fetchLinks });
  const messages = [{ id: 'm', role: 'user' as const, parts: [part(REFERENCE)] }];
  const url = () => urlsOf(files.show(messages)[0])[0];
  expect(url()).toBe('data:,');
  await vi.advanceTimersByTimeAsync(1_000);
  // A server renders without a listener.
  expect(links).toHaveLength(0);
  let changes = 0;
  const leave = files.subscribe(() => changes++);
  await vi.advanceTimersByTimeAsync(10);
  expect([url(), changes > 0]).toEqual(['data:,', true]);
  await vi.advanceTimersByTimeAsync(10);
  const first = files.show(messages);
  expect(url()).toBe(`http://parley/files/${sha256(PNG)}?n=2`);
  expect(files.show(messages)).toBe(first);
  now += 51 * 60_000;
  await vi.advanceTimersByTimeAsync(51 * 60_000);
  expect(url()).toBe(`http://parley/files/${sha256(PNG)}?n=2`);
  await vi.advanceTimersByTimeAsync(10);
  expect(url()).toBe(`http://parley/files/${sha256(PNG)}?n=3`);
  expect(links).toHaveLength(3);
  leave();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

test('files of others are not shown', async () => {
  const { files } = await openChat();
  const unknown = [{ id: 'x', role: 'user' as const, parts: [part(`parley:file:${'0'.repeat(64)}`)] }];
  const changed = vi.fn<() => void>();
  const leave = files.subscribe(changed);
  expect(urlsOf(files.show(unknown)[0])).toEqual(['data:,']);
  await expect.poll(() => changed).toHaveBeenCalled();
  expect(urlsOf(files.show(unknown)[0])).toEqual(['data:,']);
  leave();
});
