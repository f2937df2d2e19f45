/** Saves in many chats of a server whose database refuses changes. */
import { startConfigured, type ConfiguredServer } from '../../support/server/configured-server.js';

const SAVE = `mutation ($chatId: ID!, $id: ID!, $data: JSON!) {
  saveMessages(input: { chatId: $chatId, messages: [{ id: $id, name: "user", content: { data: $data } }] }) { __typename }
}`;
export const CHATS = Array.from({ length: 20 }, (_, n) => `chat-${n}`);

/** The states of readiness. */
export const READY = [200, 'ready', 'up'];
export const READ_ONLY = [503, 'not ready', 'read-only'];

export async function startWithChats(url: string): Promise<ConfiguredServer> {
  const server = await startConfigured({ DATABASE_URL: url, MIGRATE_ON_START: 'true' });
  for (const id of CHATS) {
    await server.post('mutation ($id: ID!) { createChat(input: { id: $id }) { __typename } }', { id });
  }
  return server;
}

/** `saved`, or the code and the message of the error. */
export async function save(server: ConfiguredServer, chatId: string, id: string, content = 'kept'): Promise<string> {
  const { data, errors } = await server.post(SAVE, { chatId, id, data: { content } });
  const [error] = errors ?? [];
  if (error !== undefined) return `${String(error.extensions?.['code'])}: ${error.message}`;
  return data?.['saveMessages'] === undefined ? 'nothing' : 'saved';
}

/** The results of a save in each chat, at the same time. */
export const saveAll = (server: ConfiguredServer, name: string) =>
  Promise.all(CHATS.map((chatId) => save(server, chatId, `${chatId}-${name}`)));

/** The result of saveAll() where all saves have the same. */
export const all = (result: string) => CHATS.map(() => result);

export async function readiness({ url }: ConfiguredServer) {
  const response = await fetch(new URL('/health/ready', url));
  const { status, database } = (await response.json()) as { status: string; database: string };
  return [response.status, status, database];
}
