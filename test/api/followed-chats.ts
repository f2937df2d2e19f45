/** Subscriptions to a chat and to its branches. */
import { expect } from 'vitest';
import { createChat, save, userMessage } from '../support/chats/operations.js';
import { openStream } from '../support/server/event-stream.js';
import { openParley, type Parley } from '../support/server/parley.js';

export const HEAD = `subscription ($chatId: ID! = "c", $branch: String, $after: Int) {
  branchHead(chatId: $chatId, branch: $branch, after: $after) {
    seq branch { name } previousHeadId head { id } appended { id } siblings { id }
  }
}`;

export async function mutate(parley: Parley, mutation: string): Promise<void> {
  const answer = await parley.ask(`mutation { ${mutation} { __typename ... on Error { message } } }`);
  expect(JSON.stringify(answer)).not.toContain('message');
}

/** A user that follows the list of chats. @param changes the subscription */
export function userOf(parley: Parley, userId: string, changes: string) {
  const post: Parley['post'] = (body, headers) => parley.post(body, { ...headers, 'x-user-id': userId });
  return {
    follow: (variables: { userId?: string; includeShared?: boolean } = {}) => openStream({ post }, changes, variables),
    async mutate(mutation: string): Promise<void> {
      const response = await post(JSON.stringify({ query: `mutation { ${mutation} { __typename } }` }));
      expect(await response.text()).not.toMatch(/Error|errors/);
    },
  };
}

/** A chat with messages a, b and c on main, at version 6. */
export async function chatOfThree(): Promise<Parley> {
  const parley = await openParley();
  await createChat(parley, 'c');
  for (const id of ['a', 'b', 'c']) await save(parley, { chatId: 'c', messages: [userMessage(id)] });
  return parley;
}
