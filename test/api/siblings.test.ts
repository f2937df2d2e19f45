/** Previous and next versions of a message. */
import { expect, test } from 'vitest';
import { createChat, save, userMessage } from '../support/chats/operations.js';
import { openParley } from '../support/server/parley.js';

test('each version of a message, including roots, has its previous and next version', async () => {
  const parley = await openParley();
  await createChat(parley, 'c');
  await createChat(parley, 'other');
  await save(parley, { chatId: 'other', messages: [userMessage('elsewhere')] });
  await save(parley, { chatId: 'c', messages: ['root', 'a', 'below'].map((id) => userMessage(id)) });
  const edit = (messageId: string, text: string) =>
    parley.ask(
      `mutation ($id: ID!, $text: String!) {
        editMessage(input: { chatId: "c", messageId: $id, content: { text: $text } }) { __typename }
      }`,
      { id: messageId, text },
    );
  for (const text of ['b', 'c']) await edit('a', text);
  await edit('root', 'second root');

  const ask = async (id: string) => {
    const { data, errors } = await parley.ask(
      'query ($id: ID!) { message(id: $id) { siblings { text previousSibling { text } nextSibling { text } } } }',
      { id },
    );
    expect(errors).toBeUndefined();
    return (data as { message: { siblings: unknown[] } }).message.siblings;
  };
  const [a, b, c] = [{ text: 'a' }, { text: 'b' }, { text: 'c' }];
  expect(await ask('a')).toEqual([
    { ...a, previousSibling: null, nextSibling: b },
    { ...b, previousSibling: a, nextSibling: c },
    { ...c, previousSibling: b, nextSibling: null },
  ]);
  expect(await ask('root')).toEqual([
    { text: 'root', previousSibling: null, nextSibling: { text: 'second root' } },
    { text: 'second root', previousSibling: { text: 'root' }, nextSibling: null },
  ]);
  expect(await ask('below')).toEqual([{ text: 'below', previousSibling: null, nextSibling: null }]);
});

test('previous and next versions of all messages of a thread take one statement', async () => {
  const parley = await openParley();
  await createChat(parley, 'c');
  await save(parley, { chatId: 'c', messages: ['1', '2', '3', '4'].map((id) => userMessage(id)) });
  for (const id of ['2', '3', '3', '4']) {
    await parley.ask(
      `mutation { editMessage(input: { chatId: "c", messageId: "${id}", content: { text: "new" } }) { __typename } }`,
    );
  }
  const count = async (fields: string) => {
    parley.takeStatements();
    const { errors } = await parley.ask(`{ chat(id: "c") { branches { edges { node { chain { id ${fields} } } } } } }`);
    expect(errors).toBeUndefined();
    return parley.takeStatements().length;
  };
  expect(await count('previousSibling { id } nextSibling { text }')).toBe((await count('')) + 1);
});
