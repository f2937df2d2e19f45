/** The chat list of docs/frontends.md with assistant-ui's runtime, and the files of its composer. */
import { ThreadStore, type createParley, type Parley } from '@parley/client';
import { CreateChat } from '@parley/client/operations';
import type { AssistantRuntime } from '@assistant-ui/react';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createElement, type FunctionComponent } from 'react';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startListening } from '../../support/server/listening-server.js';
import { clientProgram, frontendCode, programFolder } from '../documented-programs.js';
import { openPage } from './page.js';

let programs = 0;

/** The list of chats of docs/frontends.md, with the thread as text. */
const CHATS = `
import { AssistantRuntimeProvider } from '@assistant-ui/react';
export { createParley } from '@parley/client';
import { ParleyProvider, useThread } from '@parley/client/react';
import { useChatsRuntime } from './assistant-chats.js';

export function Chats({ parley, ...props }) {
  return <ParleyProvider parley={parley} thread={{ create: true }}><Chat {...props} /></ParleyProvider>;
}

function Chat({ onError, use }) {
  const { runtime, store } = useChatsRuntime({ firstChatId: 'c', onError });
  use(runtime);
  const { thread } = useThread(store.chatId);
  return <AssistantRuntimeProvider runtime={runtime}>{store.chatId}: {thread.map(({ text }) => text).join('|')}</AssistantRuntimeProvider>;
}
`;

interface ChatsProgram {
  Chats: FunctionComponent<ChatsProps>;
  createParley: typeof createParley;
}

interface ChatsProps {
  parley: Parley;
  onError: (error: unknown) => void;
  use: (runtime: AssistantRuntime) => void;
}

/** A page with the chat list, and a composer that accepts files. */
async function openList() {
  const server = await startListening();
  const errors: string[] = [];
  const onError = (error: unknown) => errors.push((error as Error).message);
  let runtime: AssistantRuntime | undefined;
  const use = (used: AssistantRuntime) => void (runtime = used);
  const folder = programFolder(`assistant-chats-${++programs}`);
  writeFileSync(join(folder, 'assistant-chats.js'), frontendCode('assistant-chats.js'));
  const program = await clientProgram<ChatsProgram>(folder, 'chats.jsx', CHATS);
  const parley = program.createParley({ url: server.url, webSocket: WebSocket });
  onTestFinished(() => parley.close());
  const page = await openPage(createElement(program.Chats, { parley, onError, use }));
  const shows = (text: string) => expect.poll(() => page.text()).toBe(text);
  const titles = () => {
    const { threadIds, threadItems } = runtime!.threads.getState();
    return threadIds.map((id) => [id, threadItems[id]?.title]);
  };
  const lists = (...expected: unknown[]) => expect.poll(() => titles()).toEqual(expected);
  return { parley, errors, runtime: () => runtime!, shows, lists };
}

test('the chat list of assistant-ui switches, creates, renames and deletes chats', async () => {
  const { parley, runtime, shows, lists } = await openList();
  await parley.run(CreateChat, { input: { id: 'c', title: 'First' } });
  await parley.run(CreateChat, { input: { id: 'd', title: 'Second' } });
  await lists(['d', 'Second'], ['c', 'First']);
  await runtime().threads.switchToThread('d');
  await shows('d: ');
  await runtime().threads.getItemById('d').rename('Renamed');
  await lists(['d', 'Renamed'], ['c', 'First']);
  await runtime().threads.getItemById('c').delete();
  await lists(['d', 'Renamed']);
  await runtime().threads.switchToNewThread();
  await expect.poll(() => runtime().threads.getState().mainThreadId).not.toBe('d');
  const { composer } = runtime().thread;
  composer.setText('Hello');
  await expect.poll(() => composer.getState().canSend).toBe(true);
  composer.send();
  const { mainThreadId } = runtime().threads.getState();
  await lists([mainThreadId, undefined], ['d', 'Renamed']);
  await shows(`${mainThreadId}: Hello`);
});

test('a file of the composer is saved in its message, and a file that is too large is refused with the limit', async () => {
  const { parley, errors, runtime, shows } = await openList();
  await parley.run(CreateChat, { input: { id: 'c' } });
  await shows('c: ');
  const { composer } = runtime().thread;
  await composer.addAttachment(new File(['\x89PNG'], 'dot.png', { type: 'image/png' }));
  composer.setText('Look');
  composer.send();
  await shows('c: Look');
  const store = new ThreadStore(parley, 'c');
  onTestFinished(() => store.close());
  await store.open();
  const { thread } = await store.when((state) => state.thread.length === 1);
  const url = `data:image/png;base64,${Buffer.from('\x89PNG').toString('base64')}`;
  const parts = [
    { type: 'text', text: 'Look' },
    { type: 'file', mediaType: 'image/png', filename: 'dot.png', url },
  ];
  expect(thread).toMatchObject([{ name: 'user', text: 'Look', data: { role: 'user', parts } }]);
  const shown = () => runtime().thread.getState().messages[0]?.attachments;
  expect(shown()).toMatchObject([{ name: 'dot.png', type: 'image', content: [{ type: 'image', image: url }] }]);

  const large = (bytes: number) => new File([new Uint8Array(bytes)], 'large.bin');
  await expect(composer.addAttachment(large(800_000))).rejects.toThrow('"large.bin" has 800000 bytes');
  expect(composer.getState().attachments).toEqual([]);
  // Each file fits into a message, but not both: the composer keeps the message.
  await composer.addAttachment(large(500_000));
  await composer.addAttachment(large(500_000));
  composer.setText('Too much');
  composer.send();
  await expect.poll(() => errors).toEqual([expect.stringMatching(/at most 1048576\. Remove a file\.$/)]);
  await expect.poll(() => composer.getState().text).toBe('Too much');
  expect(composer.getState().attachments).toHaveLength(2);
});
