/** Subscriptions behave the same over every transport. */
import type { FormattedExecutionResult } from 'graphql';
import { describe, expect, it } from 'vitest';
import { startListening, type ListeningServer } from '../../support/server/listening-server.js';
import { CreateChat, SaveMessages, userMessage } from '../../support/chats/operations.js';
import { transports, type Results } from '../../support/server/transports.js';

const CHAT_EVENTS = `
  subscription ($id: ID!, $after: Int) {
    chatEvents(chatId: $id, after: $after) {
      __typename
      seq
      ... on BranchHeadMoved {
        headId
        messages {
          text
        }
      }
    }
  }
`;
const BRANCH_HEAD = `
  subscription ($id: ID!, $after: Int, $branch: String) {
    branchHead(chatId: $id, after: $after, branch: $branch) {
      seq
      branch {
        name
      }
      previousHeadId
      head {
        id
      }
      appended {
        text
      }
    }
  }
`;
const DELETE = 'mutation { deleteChat(input: { id: "c" }) { __typename } }';

/** A server with a chat of one message, whose last event is number 4. */
async function startWithChat(): Promise<ListeningServer> {
  const server = await startListening();
  await server.run(CreateChat, { input: { id: 'c' } });
  await saveText(server, 'm1');
  return server;
}

async function saveText({ run }: ListeningServer, id: string): Promise<void> {
  const messages = [userMessage(id, `text of ${id}`)];
  const { saveMessages } = await run(SaveMessages, { input: { chatId: 'c', onConflict: 'REJECT', messages } });
  expect(saveMessages.__typename).toBe('SaveMessagesPayload');
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

const event = (__typename: string, seq: number, more = {}) => ({ data: { chatEvents: { __typename, seq, ...more } } });
const moved = (seq: number, headId: string) =>
  event('BranchHeadMoved', seq, { headId, messages: [{ text: `text of ${headId}` }] });
const head = (seq: number, name: string, previousHeadId: string | null, id: string, appended: string[] = []) => ({
  data: {
    branchHead: {
      seq,
      branch: { name },
      previousHeadId,
      head: { id },
      appended: appended.map((message) => ({ text: `text of ${message}` })),
    },
  },
});

describe.each(Object.entries(transports))('a subscription %s', (_name, follow) => {
  it('sends the events after a number, then each new event', async () => {
    const server = await startWithChat();
    const events = follow({ url: server.url, query: CHAT_EVENTS, variables: { id: 'c', after: 2 } });
    expect([await next(events), await next(events)]).toEqual([event('BranchActivated', 3), moved(4, 'm1')]);
    await saveText(server, 'm2');
    expect(await next(events)).toEqual(moved(5, 'm2'));
    await saveText(server, 'm3');
    await saveText(server, 'm4');
    expect([await next(events), await next(events)]).toEqual([moved(6, 'm3'), moved(7, 'm4')]);
  });

  it('sends the head of a branch, and each of its moves', async () => {
    const server = await startWithChat();
    const heads = follow({ url: server.url, query: BRANCH_HEAD, variables: { id: 'c' } });
    expect(await next(heads)).toEqual(head(4, 'main', 'm1', 'm1'));
    await saveText(server, 'm2');
    expect(await next(heads)).toEqual(head(5, 'main', 'm1', 'm2', ['m2']));
  });

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
    expect(await all(events)).toEqual([event('ChatDeleted', 5)]);
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
      { errors: [{ ...refusal(code, message).errors[0], path: [field], locations: [{ line: 3, column: 5 }] }] },
    ]);
    expect(server.followers()).toBe(0);
    expect(server.unexpectedErrors.size).toBe(0);
  });
});

function refusal(code: string, message: string) {
  return { errors: [{ message, extensions: { code } }] };
}
