/** Saves over HTTP: chains to read, and the turns of a conversation, by one or many clients. */
import { chainPiece, PIECE } from './fixture.js';
import { timeOf } from './measure.js';
import type { Post } from './server.js';

/** Uses the public contract, which all builds share. */
export function createChat(post: Post, id: string): Promise<void> {
  return succeed(post, 'mutation ($input: CreateChatInput!) { saved: createChat(input: $input) { __typename } }', {
    id,
  });
}

/** Writes the same chat as writeChain of the fixture. */
export async function saveChain(post: Post, chatId: string, length: number): Promise<void> {
  await createChat(post, chatId);
  for (let done = 0; done < length; done += PIECE) {
    await save(post, { chatId, messages: chainPiece(chatId, done, Math.min(PIECE, length - done)) });
  }
}

/** Saves a question and its answer at the end of a chat's active branch. @param metadata of the answer */
export function saveTurn(post: Post, chatId: string, metadata?: object): Promise<void> {
  const text = 'A question, or an answer.';
  const answer = metadata === undefined ? { text } : { data: { text, metadata } };
  const messages = [
    { name: 'user', content: { text } },
    { name: 'assistant', content: answer },
  ];
  return save(post, { chatId, messages });
}

/** The total saves per second of `clients` concurrent clients, each in a separate chat: busy0, busy1 ... */
export async function savesASecond(post: Post, clients: number, saves: number): Promise<number> {
  const time = await timeOf(() =>
    Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        for (let n = 0; n < saves / clients; n++) await saveTurn(post, `busy${client}`);
      }),
    ),
  );
  return (1000 * saves) / time;
}

function save(post: Post, input: object): Promise<void> {
  return succeed(
    post,
    'mutation ($input: SaveMessagesInput!) { saved: saveMessages(input: $input) { __typename } }',
    input,
  );
}

async function succeed(post: Post, query: string, input: object): Promise<void> {
  const answer = await post(query, { input });
  if (!/^{"data":{"saved":{"__typename":"\w+Payload"/.test(answer)) throw new Error(`not saved: ${answer}`);
}
