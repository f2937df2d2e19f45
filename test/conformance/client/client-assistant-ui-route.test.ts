/** The runtime of docs/frontends.md whose answers come from a route: texts, reasoning, tools and files. */
import type { AssistantRuntime } from '@assistant-ui/react';
import type { createParley, Parley } from '@parley/client';
import type { AnsweredChat } from '@parley/client/assistant-ui';
import type { UseParleyChat } from '@parley/client/use-parley-chat';
import { RemoteStore } from '@parley/context';
import type { AnswerCall } from '@parley/context/answer';
import type { UIMessageChunk } from 'ai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createElement, type FunctionComponent } from 'react';
import { expect, expectTypeOf, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { serve } from '../../../packages/context/test/chat-pages.js';
import { startListening } from '../../support/server/listening-server.js';
import { clientProgram, frontendCode, programFolder } from '../documented-programs.js';
import { openPage } from './page.js';

const CHAT = `
import { AssistantRuntimeProvider } from '@assistant-ui/react';
import { ParleyProvider } from '@parley/client/react';
import { useRouteRuntime } from './assistant-route.jsx';
export { createParley } from '@parley/client';

export function Chat({ parley, api, use }) {
  return <ParleyProvider parley={parley} thread={{ create: true }}><Shown api={api} use={use} /></ParleyProvider>;
}

function Shown({ api, use }) {
  const runtime = useRouteRuntime('c', { api });
  use(runtime);
  return <AssistantRuntimeProvider runtime={runtime}>shown</AssistantRuntimeProvider>;
}
`;

interface Program {
  Chat: FunctionComponent<{ parley: Parley; api: string; use: (runtime: AssistantRuntime) => void }>;
  createParley: typeof createParley;
}

/** A page with the documented runtime, and a model that the test controls. */
async function open() {
  const server = await startListening();
  let chunks: ReadableStreamDefaultController<UIMessageChunk> | undefined;
  const asked: AnswerCall['messages'][] = [];
  const stream = ({ messages }: AnswerCall) => {
    asked.push(messages);
    return new ReadableStream<UIMessageChunk>({ start: (controller) => void (chunks = controller) });
  };
  const api = await serve({ store: new RemoteStore({ url: server.url }), stream });
  const folder = programFolder('assistant-route');
  writeFileSync(join(folder, 'assistant-route.jsx'), frontendCode('assistant-route.jsx'));
  const program = await clientProgram<Program>(folder, 'chat.jsx', CHAT);
  const parley = program.createParley({ url: server.url, webSocket: WebSocket });
  onTestFinished(() => parley.close());
  let runtime: AssistantRuntime | undefined;
  await openPage(createElement(program.Chat, { parley, api, use: (used) => void (runtime = used) }));
  return {
    thread: () => runtime!.thread,
    last: () => runtime!.thread.getState().messages.at(-1),
    send: (...all: UIMessageChunk[]) => all.forEach((chunk) => chunks!.enqueue(chunk)),
    close: () => chunks!.close(),
    asked: (count: number) => expect.poll(() => asked).toHaveLength(count),
  };
}

test('an answer of a route is shown with its parts while it is written, and can be written again', async () => {
  expectTypeOf<UseParleyChat>().toExtend<AnsweredChat>();
  const { thread, last, send, close, asked } = await open();
  thread().append('Where to?');
  await asked(1);
  send({ type: 'start' }, { type: 'start-step' }, { type: 'reasoning-start', id: 'r' });
  send({ type: 'reasoning-delta', id: 'r', delta: 'By the sea' }, { type: 'reasoning-end', id: 'r' });
  send({ type: 'tool-input-available', toolCallId: 't', toolName: 'weather', input: { of: 'Faro' } });
  const call = { type: 'tool-call', toolCallId: 't', toolName: 'weather', args: { of: 'Faro' } };
  const reasoning = { type: 'reasoning', text: 'By the sea' };
  await expect.poll(() => last()).toMatchObject({ status: { type: 'running' }, content: [reasoning, call] });
  send({ type: 'tool-output-available', toolCallId: 't', output: 'sunny' }, { type: 'finish-step' });
  send({ type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==' });
  send({ type: 'source-url', sourceId: 's', url: 'https://example.com/faro' });
  send({ type: 'text-start', id: '0' }, { type: 'text-delta', id: '0', delta: 'To Faro.' });
  send({ type: 'text-end', id: '0' }, { type: 'finish' });
  close();
  const content = [
    reasoning,
    { ...call, result: 'sunny', isError: false },
    { type: 'image', image: 'data:image/png;base64,AA==' },
    { type: 'source', sourceType: 'url', url: 'https://example.com/faro' },
    { type: 'text', text: 'To Faro.' },
  ];
  await expect.poll(() => last()).toMatchObject({ status: { type: 'complete' }, content });

  thread().getMessageByIndex(1).reload();
  await asked(2);
  send({ type: 'start' }, { type: 'text-start', id: '0' }, { type: 'text-delta', id: '0', delta: 'To Lagos' });
  await expect.poll(() => last()).toMatchObject({ content: [{ type: 'text', text: 'To Lagos' }] });
  thread().cancelRun();
  await expect.poll(() => thread().getState().isRunning).toBe(false);
  expect(thread().getMessageByIndex(1).getState()).toMatchObject({ branchNumber: 2, branchCount: 2 });
});

test('the result of a tool that a component answers is shown', async () => {
  const { thread, last, send, close, asked } = await open();
  thread().append('Where am I?');
  await asked(1);
  send({ type: 'start' }, { type: 'start-step' });
  send({ type: 'tool-input-available', toolCallId: 't', toolName: 'place', input: {} });
  send({ type: 'finish-step' }, { type: 'finish' });
  close();
  await expect.poll(() => last()?.status).toMatchObject({ type: 'requires-action', reason: 'tool-calls' });
  thread().getMessageByIndex(1).getMessagePartByToolCallId('t').addToolResult('Faro');
  await expect.poll(() => last()).toMatchObject({ content: [{ type: 'tool-call', result: 'Faro' }] });
});
