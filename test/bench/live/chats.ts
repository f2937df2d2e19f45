/** The followed chats, and the saves in them. */
import type { OperationsSocket } from './operations-socket.js';

/** The fields of a page that shows a branch: with the text, a result of about 1 KB. */
export const HEAD = `subscription ($chatId: ID!, $after: Int) { branchHead(chatId: $chatId, after: $after) {
  seq branch { id name isActive messageCount } previousHeadId head { id }
  appended { id parentId name text createdAt depth seq } } }`;

export const EVENTS = `subscription ($chatId: ID!, $after: Int) { chatEvents(chatId: $chatId, after: $after) {
  __typename seq actorId createdAt
  ... on BranchHeadMoved { branch { id name } previousHeadId headId messages { id parentId name text createdAt } } } }`;

const TEXT = 'A sentence of some length, as people and models write them. '.repeat(9);

export async function createChat(socket: OperationsSocket, id: string): Promise<void> {
  await succeed(socket, 'mutation ($input: CreateChatInput!) { saved: createChat(input: $input) { __typename } }', {
    input: { id },
  });
}

/**
 * Saves one message, which causes one event except for the first message. @returns the time of the response, in
 * milliseconds
 */
export function saveMessage(socket: OperationsSocket, chatId: string): Promise<number> {
  return succeed(
    socket,
    'mutation ($input: SaveMessagesInput!) { saved: saveMessages(input: $input) { __typename } }',
    {
      input: { chatId, messages: [{ name: 'assistant', content: { text: TEXT } }] },
    },
  );
}

export async function versionOf(socket: OperationsSocket, id: string): Promise<number> {
  const { json } = await socket.run('query ($id: ID!) { chat(id: $id) { version } }', { id });
  return (JSON.parse(json) as { data: { chat: { version: number } } }).data.chat.version;
}

async function succeed(socket: OperationsSocket, query: string, variables: unknown): Promise<number> {
  const { json, at } = await socket.run(query, variables);
  if (!/^{"data":{"saved":{"__typename":"\w+Payload"/.test(json)) throw new Error(`not saved: ${json}`);
  return at;
}
