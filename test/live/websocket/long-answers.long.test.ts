/** Long responses use pooled buffers: none may contain data of another response. */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { startListening } from '../../support/server/listening-server.js';

/** Enough messages that a worker thread serializes the list. */
const MESSAGES = 1_600;
const CHATS = ['a', 'b', 'c'];
const ROUNDS = 2;

interface Link {
  data: { parts: { text: string }[] };
}

test('each client reads its own response, also when it reads late, while others connect and disconnect', async () => {
  const { ask, url } = await startListening();
  for (const chatId of CHATS) {
    await ask('mutation ($id: ID!) { createChat(input: { id: $id }) { __typename } }', { id: chatId });
    const save = 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';
    for (let n = 0; n < MESSAGES; n += 400) {
      const messages = Array.from({ length: 400 }, (_, k) => ({
        name: 'user',
        content: { text: textOf(chatId, n + k) },
      }));
      expect(await ask(save, { input: { chatId, messages } })).not.toHaveProperty('errors');
    }
  }
  const isOf = (chatId: string, answer: string) => {
    const { data } = JSON.parse(answer) as { data: { chat: { activeBranch: { chain: Link[] } } } };
    const { chain } = data.chat.activeBranch;
    return chain.length === MESSAGES && chain.every(({ data }, n) => data.parts[0]?.text === textOf(chatId, n));
  };
  /** Resolves when the response has begun; the client has read none of its body. */
  const begin = async (chatId: string): Promise<IncomingMessage> => {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const outgoing = request(url, { method: 'POST', agent: false, headers });
    outgoing.end(JSON.stringify({ query: `{ chat(id: "${chatId}") { activeBranch { chain { data } } } }` }));
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    return incoming;
  };

  for (let round = 0; round < ROUNDS; round++) {
    const late = await Promise.all(CHATS.map(begin));
    // One client less each round, so that buffers return to the pool in another order.
    const leaving = await Promise.all(CHATS.slice(round).map(begin));
    for (const incoming of leaving) incoming.destroy();
    const others = await Promise.all(CHATS.map(async (chatId) => text(await begin(chatId))));
    expect(others.map((answer, n) => isOf(CHATS[n]!, answer))).toEqual([true, true, true]);
    const answers = await Promise.all(late.map((incoming) => text(incoming)));
    expect(answers.map((answer, n) => isOf(CHATS[n]!, answer))).toEqual([true, true, true]);
  }
});

/** One word, because more words take long to index. The texts exceed the socket buffers of an unread response. */
function textOf(chatId: string, n: number): string {
  return `${chatId}${n}_`.repeat(1_600);
}
