/** Long responses use pooled buffers: none may contain data of another response. */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { startListening } from '../../support/server/listening-server.js';

/** So many that the list comes from a thread. */
const MESSAGES = 1_600;
const CHATS = ['a', 'b', 'c'];
const ROUNDS = 2;

interface Link {
  data: { parts: { text: string }[] };
}

test('each client reads its own response, also when it reads late, while others connect and leave', async () => {
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
  /** Its answer has begun, and nothing of it has been read. */
  const begin = async (chatId: string): Promise<IncomingMessage> => {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const outgoing = request(url, { method: 'POST', agent: false, headers });
    outgoing.end(JSON.stringify({ query: `{ chat(id: "${chatId}") { activeBranch { chain { data } } } }` }));
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    return incoming;
  };

  for (let round = 0; round < ROUNDS; round++) {
    const late = await Promise.all(CHATS.map(begin));
    // One less each round, so that the memory comes back in another order.
    const leaving = await Promise.all(CHATS.slice(round).map(begin));
    for (const incoming of leaving) incoming.destroy();
    const others = await Promise.all(CHATS.map(async (chatId) => text(await begin(chatId))));
    expect(others.map((answer, n) => isOf(CHATS[n]!, answer))).toEqual([true, true, true]);
    const answers = await Promise.all(late.map((incoming) => text(incoming)));
    expect(answers.map((answer, n) => isOf(CHATS[n]!, answer))).toEqual([true, true, true]);
  }
});

/** One word, or it takes long to index; longer than what the system keeps of an answer that is not read, all together. */
function textOf(chatId: string, n: number): string {
  return `${chatId}${n}_`.repeat(1_600);
}
