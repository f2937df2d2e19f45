/** The runtime of docs/frontends.md with assistant-ui's attachments, which are uploaded. */
import { ThreadStore, type createParley, type Parley } from '@parley/client';
import type { AssistantRuntime } from '@assistant-ui/react';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createElement, type FunctionComponent } from 'react';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { PNG, sha256 } from '../../features/files/file-server.js';
import { startListening } from '../../support/server/listening-server.js';
import { clientProgram, frontendCode, programFolder } from '../documented-programs.js';
import { openPage } from './page.js';

let programs = 0;

const realFetch = globalThis.fetch;

/** The runtime of docs/frontends.md with files, of a chat `c`. */
const FILES = `
import { AssistantRuntimeProvider } from '@assistant-ui/react';
import { ParleyProvider } from '@parley/client/react';
import { useFilesRuntime } from './assistant-files.js';
export { createParley } from '@parley/client';

export function Chat({ parley, use }) {
  return <ParleyProvider parley={parley} thread={{ create: true }}><Shown use={use} /></ParleyProvider>;
}

function Shown({ use }) {
  const runtime = useFilesRuntime('c');
  use(runtime);
  return <AssistantRuntimeProvider runtime={runtime}>shown</AssistantRuntimeProvider>;
}
`;

interface FilesProgram {
  Chat: FunctionComponent<{ parley: Parley; use: (runtime: AssistantRuntime) => void }>;
  createParley: typeof createParley;
}

test('a file is uploaded when it is added, its message refers to it, and its removal cancels the upload', async () => {
  const server = await startListening();
  const uploads: { aborted: boolean }[] = [];
  vi.stubGlobal('fetch', (...[url, init]: Parameters<typeof fetch>) => {
    if (init?.method !== 'POST' || !new URL(url as string).pathname.endsWith('/files')) return realFetch(url, init);
    const upload = { aborted: false };
    uploads.push(upload);
    init.signal?.addEventListener('abort', () => (upload.aborted = true));
    // The third upload takes until it is canceled.
    if (uploads.length < 3) return realFetch(url, init);
    return new Promise((_, reject) => init.signal?.addEventListener('abort', () => reject(new Error('aborted'))));
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const open = async () => {
    const folder = programFolder(`assistant-files-${++programs}`);
    const code = frontendCode('assistant-files.js').replace('http://127.0.0.1:4000/graphql', server.url);
    writeFileSync(join(folder, 'assistant-files.js'), code);
    const program = await clientProgram<FilesProgram>(folder, 'files.jsx', FILES);
    const parley = program.createParley({ url: server.url, webSocket: WebSocket });
    onTestFinished(() => parley.close());
    let runtime: AssistantRuntime | undefined;
    await openPage(createElement(program.Chat, { parley, use: (used) => void (runtime = used) }));
    return { parley, runtime: () => runtime! };
  };
  const { parley, runtime } = await open();
  const { composer } = runtime().thread;
  const statuses: unknown[] = [];
  composer.subscribe(() => statuses.push(composer.getState().attachments[0]?.status));
  await composer.addAttachment(new File([PNG], 'dot.png', { type: 'image/png' }));
  await composer.addAttachment(new File(['words'], 'a.txt', { type: 'text/plain' }));
  expect(statuses).toContainEqual({ type: 'running', reason: 'uploading', progress: 0 });
  expect(statuses.at(-1)).toEqual({ type: 'requires-action', reason: 'composer-send' });
  composer.setText('Look');
  composer.send();
  const store = new ThreadStore(parley, 'c');
  onTestFinished(() => store.close());
  await store.open();
  const { thread } = await store.when((state) => state.thread.length === 1);
  const parts = [
    { type: 'text', text: 'Look' },
    { type: 'file', mediaType: 'image/png', filename: 'dot.png', url: `parley:file:${sha256(PNG)}` },
    { type: 'file', mediaType: 'text/plain', filename: 'a.txt', url: `parley:file:${sha256('words')}` },
  ];
  expect(thread).toMatchObject([{ name: 'user', data: { role: 'user', parts } }]);
  expect(uploads).toEqual([{ aborted: false }, { aborted: false }]);

  const { runtime: other } = await open();
  const signed: unknown = expect.stringMatching(/^http.*signature=/);
  const content = [{ type: 'file', data: signed, filename: 'a.txt' }];
  await expect
    .poll(() => other().thread.getState().messages[0]?.attachments)
    .toMatchObject([
      { name: 'dot.png', type: 'image', content: [{ type: 'image', image: signed }] },
      { name: 'a.txt', type: 'file', content },
    ]);
  // An edit keeps the files, as references.
  const { composer: edit } = other().thread.getMessageById(thread[0]!.id);
  edit.beginEdit();
  edit.setText('Look again');
  edit.send();
  await store.when((state) => state.thread[0]?.text === 'Look again');
  expect(store.getState().thread[0]?.data).toMatchObject({ parts: [{ text: 'Look again' }, parts[1], parts[2]] });

  const added = composer.addAttachment(new File(['long'], 'b.txt'));
  await expect.poll(() => uploads).toHaveLength(3);
  await composer.getAttachmentByIndex(0).remove();
  await added;
  expect(uploads[2]).toEqual({ aborted: true });
  expect(composer.getState().attachments).toEqual([]);
});
