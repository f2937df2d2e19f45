/** Previews of messages in lists. */
import { beforeEach, expect, test } from 'vitest';
import { createChat, save } from '../support/chats/operations.js';
import { openParley, type Parley } from '../support/server/parley.js';
import { find } from '../support/chats/search.js';

const long = 'A long question about everything, and one more thing. '.repeat(40);

let parley: Parley;
beforeEach(async () => {
  parley = await openParley();
  await createChat(parley, 'c');
  const messages = [
    { id: 'long', name: 'user', content: { text: long } },
    { id: 'short', name: 'user', content: { text: 'Hi' } },
    { id: 'family', name: 'user', content: { text: `${'x'.repeat(48)}👨‍👩‍👧` } },
    { id: 'image', name: 'user', content: { data: { parts: [{ type: 'file', url: 'x' }] } } },
  ];
  await save(parley, { chatId: 'c', messages });
});

async function preview(id: string, args = '') {
  const { data, errors } = await parley.ask(`{ message(id: "${id}") { preview${args} } }`);
  return errors ?? (data as { message: { preview: string } }).message.preview;
}

test('has 50 characters by default, or the requested length, up to the whole text', async () => {
  expect(await preview('long')).toBe(long.slice(0, 50));
  expect(await preview('long', '(length: null)')).toBe(long.slice(0, 50));
  expect(await preview('long', '(length: 1)')).toBe('A');
  expect(await preview('long', '(length: 1000)')).toBe(long.slice(0, 1000));
  expect(await preview('short', '(length: 1000)')).toBe('Hi');
  expect(await preview('image')).toBe('');
});

test('hidden messages have none in lists, graphs and outlines, are not found, and keep their text', async () => {
  const hidden = { metadata: { hidden: true }, parts: [{ type: 'text', text: 'I live in Porto' }] };
  await createChat(parley, 'h');
  const messages = [
    { id: 'hidden', name: 'user', content: { data: hidden } },
    { id: 'shown', name: 'user', content: { data: { ...hidden, metadata: { hidden: false } } } },
  ];
  await save(parley, { chatId: 'h', messages });
  expect([await preview('hidden'), await preview('hidden', '(length: 9)')]).toEqual(['', '']);
  expect(await find(parley, 'porto')).toEqual(['shown']);
  const { data } = await parley.ask(`{ chat(id: "h") {
    graph { nodes { content } }
    outline { segments { firstContent lastContent } }
    messages { edges { node { preview text } } }
  } }`);
  const text = 'I live in Porto';
  expect(data).toEqual({
    chat: {
      graph: { nodes: [{ content: '' }, { content: text }] },
      outline: { segments: [{ firstContent: '', lastContent: text }] },
      messages: { edges: [{ node: { preview: '', text } }, { node: { preview: text, text } }] },
    },
  });
});

test('does not split graphemes', async () => {
  expect(await preview('family')).toBe('x'.repeat(48));
  expect(await preview('family', '(length: 53)')).toBe(`${'x'.repeat(48)}👨‍👩‍👧`);
});

test.each([0, -1, 1001])('a length of %i is refused', async (length) => {
  expect(await preview('long', `(length: ${length})`)).toMatchObject([
    { message: `length must be 1 to 1000, not ${length}`, extensions: { code: 'BAD_USER_INPUT' } },
  ]);
});
