/** Subscriptions behave the same over every transport. */
import type { FormattedExecutionResult } from 'graphql';
import { describe, expect, it } from 'vitest';
import { startListening, type ListeningServer } from '../../support/server/listening-server.js';
import { CreateChat, SaveMessages, userMessage } from '../../support/chats/operations.js';
import { transports, type Results } from '../../support/server/transports.js';

const CHAT_EVENTS = `subscription ($id: ID!, $after: Int) {
    chatEvents(chatId: $id, after: $after) { __typename seq } }`;
const BRANCH_HEAD = `subscription ($id: ID!, $after: Int) {
    branchHead(chatId: $id, after: $after) { seq } }`;
const DELETE = 'mutation { deleteChat(input: { chatId: "c" }) { __typename } }';

/** A server with a chat of one message, whose last event is number 4. */
async function startWithChat(): Promise<ListeningServer> {
  const server = await startListening();
  await server.run(CreateChat, { input: { id: 'c' } });
  await server.run(SaveMessages, { input: { chatId: 'c', messages: [userMessage('m1')] } });
  return server;
}

/** The next result; null at the end. */
async function next(results: Results): Promise<FormattedExecutionResult | null> {
  const { done, value } = await results.next();
  return done === true ? null : value;
}

/** All results until the end. */
async function all(results: Results): Promise<unknown[]> {
  const answers = [];
  for (let answer; (answer = await next(results)) !== null;) answers.push(answer);
  return answers;
}

describe.each(Object.entries(transports))('a subscription %s', (_name, follow) => {
  it('ends on the server when its client disconnects', async () => {
    const server = await startWithChat();
    const heads = follow({ url: server.url, query: BRANCH_HEAD, variables: { id: 'c' } });
    const events = follow({ url: server.url, query: CHAT_EVENTS, variables: { id: 'c', after: 3 } });
    await Promise.all([next(heads), next(events)]);
    expect(server.followers()).toBe(2);
    await heads.return?.();
    await expect.poll(() => server.followers()).toBe(1);
    await events.return?.();
    await expect.poll(() => server.followers()).toBe(0);
  });

  it('completes when the chat is deleted, after a last event', async () => {
    const server = await startWithChat();
    const heads = follow({ url: server.url, query: BRANCH_HEAD, variables: { id: 'c' } });
    const events = follow({ url: server.url, query: CHAT_EVENTS, variables: { id: 'c', after: 3 } });
    await Promise.all([next(heads), next(events)]);
    await server.ask(DELETE);
    expect(await all(events)).toEqual([{ data: { chatEvents: { __typename: 'ChatDeleted', seq: 5 } } }]);
    expect(await all(heads)).toEqual([]);
    await expect.poll(() => server.followers()).toBe(0);
  });

  it.each<[code: string, message: string, query: string, variables: Record<string, unknown>]>([
    ['NOT_FOUND', 'Chat "none" not found', CHAT_EVENTS, { id: 'none' }],
    ['BAD_USER_INPUT', 'after is 5, but the newest event of chat "c" is 4', BRANCH_HEAD, { id: 'c', after: 5 }],
  ])('is refused with %s: %j', async (code, message, query, variables) => {
    const server = await startWithChat();
    const [field] = /(?<= )(chatEvents|branchHead)/.exec(query)!;
    expect(await all(follow({ url: server.url, query, variables }))).toEqual([
      { errors: [{ ...refusal(code, message).errors[0], path: [field], locations: [{ line: 2, column: 5 }] }] },
    ]);
    expect(server.followers()).toBe(0);
    expect(server.unexpectedErrors.size).toBe(0);
  });
});

function refusal(code: string, message: string) {
  return { errors: [{ message, extensions: { code } }] };
}
