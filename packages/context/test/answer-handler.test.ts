/** Answers that a server process writes: over sockets, on a Parley server. */
import { expect, test } from 'vitest';
import { chunksOf, openParley, post, said, serve, textOf } from './chat-pages.js';

async function* porto() {
  yield* ['Por', 'to.'];
}

test('saves a message, streams its answer, and saves that', async () => {
  const { store } = await openParley();
  const api = await serve({ store, stream: porto });
  const response = await post(api, [said('q', 'Porto or Lisbon?')]);
  expect(response.status).toBe(200);
  expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
  expect(response.headers.get('x-parley-message-id')).toBe('q');
  const chunks = await chunksOf(response);
  expect(textOf(chunks)).toBe('Porto.');
  const [question, answer] = await store.getMessages('c');
  expect(chunks[0]).toEqual({ type: 'start', messageId: answer!.id });
  expect(chunks.at(-1)).toEqual({ type: 'finish' });
  expect(question!.data).toEqual(said('q', 'Porto or Lisbon?'));
  expect(answer!.data).toEqual({
    id: answer!.id,
    role: 'assistant',
    parts: [{ type: 'text', text: 'Porto.', state: 'done' }],
  });
  expect(await store.listDrafts('c')).toEqual([]);
  expect((await fetch(`${api}/c/stream`)).status).toBe(204);
  expect((await fetch(`${api}?chatId=c`, { method: 'DELETE' })).status).toBe(204);
});
