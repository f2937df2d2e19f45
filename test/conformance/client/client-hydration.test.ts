/** A server-rendered chat is hydrated without a flash, and continues live. */
import type { createParley, Parley } from '@parley/client';
import type { InitialState, readThreadState } from '@parley/client/initial-state';
import type { CreateChat, SaveMessages } from '@parley/client/operations';
import type { ReactNode } from 'react';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startListening } from '../../support/server/listening-server.js';
import { clientProgram, programFolder } from '../documented-programs.js';
import { hydratePage } from './page.js';

const PROGRAM = `
import { ChatProvider, ParleyProvider, useSiblings, useThread } from '@parley/client/react';
export { createParley } from '@parley/client';
export { CreateChat, SaveMessages } from '@parley/client/operations';
export { readThreadState } from '@parley/client/initial-state';

const Line = ({ id }) => id + ' ' + (useSiblings(id)?.siblingCount ?? '?') + '. ';

function Chat() {
  const { thread, status } = useThread('c');
  return <p>{status}: {thread.map(({ id }) => <Line key={id} id={id} />)}</p>;
}

export const page = (parley, initialState) => (
  <ParleyProvider parley={parley} initialState={initialState}>
    <ChatProvider chatId="c"><Chat /></ChatProvider>
  </ParleyProvider>
);
`;

interface Program {
  createParley: typeof createParley;
  CreateChat: typeof CreateChat;
  SaveMessages: typeof SaveMessages;
  readThreadState: typeof readThreadState;
  page(parley: Parley, initialState: InitialState | null): ReactNode;
}

test('a server-rendered chat is hydrated without a warning, and continues live', async () => {
  const server = await startListening();
  const program = await clientProgram<Program>(programFolder('hydration'), 'hydration.jsx', PROGRAM);
  const open = () => {
    const parley = program.createParley({ url: server.url, webSocket: WebSocket });
    onTestFinished(() => parley.close());
    return parley;
  };
  const parley = open();
  const say = (text: string) =>
    parley.run(program.SaveMessages, {
      input: { chatId: 'c', messages: [{ id: text, name: 'user', content: { text } }] },
    });
  await parley.run(program.CreateChat, { input: { id: 'c' } });
  await say('one');
  const state = await program.readThreadState(parley, 'c');
  await say('two');
  const received = JSON.parse(JSON.stringify(state)) as typeof state;
  const { html, texts, errors } = await hydratePage(program.page(parley, state), program.page(open(), received));
  expect(html.replaceAll('<!-- -->', '')).toBe('<p>live: one 1. </p>');
  await expect.poll(() => texts.at(-1)).toBe('live: one 1. two 1. ');
  // The page was never empty or in another state than live.
  expect(texts).toEqual(['live: one 1. ', 'live: one 1. two 1. ']);
  expect(errors).toEqual([]);
});
