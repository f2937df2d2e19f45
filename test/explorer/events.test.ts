/** The explorer reads a chat's log page by page, and restores the chat's state at any event. */
import { createParley } from '@parley/client';
import WebSocket from 'ws';
import { expect, it } from 'vitest';
import { ReadEvents } from '../../packages/explorer/src/generated/operations.js';
import { branchesAt, readLog, withPage, type LogPart } from '../../packages/explorer/src/history/events.js';
import { startListening } from '../support/server/listening-server.js';

it('returns the branches after each event, including branches that were deleted later', async () => {
  const { url, ask } = await startListening();
  const parley = createParley({ url, webSocket: WebSocket });
  const say = (texts: string, more = '') =>
    `saveMessages(input: { chatId: "c", messages: [${texts}]${more} }) { __typename }`;
  const message = (id: string) => `{ id: "${id}", name: "user", content: { text: "${id}" } }`;
  const steps = [
    'createChat(input: { id: "c" }) { __typename }',
    say(message('a') + message('b')),
    'btw(input: { chatId: "c" }) { __typename }',
    say(message('aside')),
    'switchBranch(input: { chatId: "c", name: "main" }) { __typename }',
    'btw(input: { chatId: "c", at: { message: "a" }, branchName: "try" }) { __typename }',
    say(message('d'), ', branch: "try"'),
    'renameBranch(input: { chatId: "c", name: "try", newName: "tried" }) { __typename }',
    say(message('e')),
    'deleteBranch(input: { chatId: "c", name: "tried" }) { __typename }',
    'renameBranch(input: { chatId: "c", name: "main", newName: "trunk" }) { __typename }',
  ];
  const seen: [number, unknown][] = [];
  for (const step of steps) {
    const { data } = await ask(`mutation { do: ${step} }`);
    expect((data as { do: { __typename: string } }).do.__typename).toMatch(/Payload$/);
    const { chat } = (
      await ask('{ chat(id: "c") { version branches { edges { node { name isActive head { id } } } } } }')
    ).data as { chat: { version: number; branches: { edges: { node: Branch }[] } } };
    const branches = chat.branches.edges.map(({ node: { head, ...rest } }) => ({ ...rest, headId: head?.id ?? null }));
    seen.push([chat.version, sorted(branches)]);
  }
  const log = await readLog(parley, 'c', new AbortController().signal);
  expect(seen.map(([seq]) => [seq, sorted(branchesAt(log, seq))])).toEqual(seen);
  parley.close();
});

it('adds newer events, and keeps older pages unless there is a gap', async () => {
  const { url, ask } = await startListening();
  const parley = createParley({ url, webSocket: WebSocket });
  await ask('mutation { createChat(input: { id: "c" }) { __typename } }');
  let part: LogPart = { events: [], cursor: null };
  const read = async (before: string | null = null) => {
    const { chat } = await parley.run(ReadEvents, { chatId: 'c', last: 4, before });
    part = withPage(part, chat!.events);
    return part.events.map(({ seq }) => seq);
  };
  const touch = async (times: number) => {
    for (let n = 0; n < times; n++) {
      await ask(`mutation { updateChat(input: { chatId: "c", title: "${n} ${Math.random()}" }) { __typename } }`);
    }
  };
  await touch(4);
  expect(await read()).toEqual([4, 5, 6, 7]);
  expect(await read(part.cursor)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(part.cursor).toBeNull();
  await touch(2);
  expect(await read()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(part.cursor).toBeNull();
  await touch(6);
  expect(await read()).toEqual([12, 13, 14, 15]);
  expect(await read(part.cursor)).toEqual([8, 9, 10, 11, 12, 13, 14, 15]);
  parley.close();
});

interface Branch {
  name: string;
  isActive: boolean;
  head: { id: string } | null;
}

const sorted = (branches: { name: string }[]) => branches.toSorted((one, other) => one.name.localeCompare(other.name));
