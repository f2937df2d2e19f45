/** What is saved through HTTP: chains to be read, and the turns of a conversation, by one client or by many at once. */
import { chainPiece, PIECE } from './fixture.js';
import { timeOf } from './measure.js';
import type { Post } from './server.js';

/** Through the contract, on which all versions of the server agree. */
export function createChat(post: Post, id: string): Promise<void> {
  return succeed(post, 'mutation ($input: CreateChatInput!) { saved: createChat(input: $input) { __typename } }', {
    id,
  });
}

/** The chat that writeChain of the fixture writes. */
export async function saveChain(post: Post, chatId: string, length: number): Promise<void> {
  await createChat(post, chatId);
  for (let done = 0; done < length; done += PIECE) {
    await save(post, { chatId, messages: chainPiece(chatId, done, Math.min(PIECE, length - done)) });
  }
}

/** Saves a question and its answer at the end of a chat's active branch. */
export function saveTurn(post: Post, chatId: string): Promise<void> {
  const messages = ['user', 'assistant'].map((name) => ({ name, content: { text: 'A question, or an answer.' } }));
  return save(post, { chatId, messages });
}

/** How many saves a second so many clients make together, each in a chat of its own: busy0, busy1 ... */
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
