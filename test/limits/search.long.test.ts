/** The limit of a search in one operation: the whole operation is refused, with status 413. */
import { expect, onTestFinished, test } from 'vitest';
import { createChat, save, userMessage } from '../support/chats/operations.js';
import { openParley, type Parley } from '../support/server/parley.js';

async function expectRefusal(parley: Parley, query: string, message: string): Promise<void> {
  const response = await parley.post(JSON.stringify({ query }), { accept: 'application/graphql-response+json' });
  expect(response.status).toBe(400);
  const error = { message: expect.stringContaining(message) as string, extensions: { code: 'TOO_LARGE' } };
  expect(await response.json()).toEqual({ data: null, errors: [error] });
  expect(parley.takeUnexpectedErrors()).toEqual([]);
}

test('64 words in 17 megabytes are refused before a read', async () => {
  const parley = await openParley();
  await createChat(parley, 'c');
  const wanted = Array.from({ length: 32 }, (_, n) => `wanted${n}`).join(' ');
  const unwanted = Array.from({ length: 32 }, (_, n) => `-unwanted${n}`).join(' ');
  const text = `${wanted} ${`${'x'.repeat(63)} `.repeat(16_000)}`;
  for (let n = 0; n < 17; n++) await save(parley, { chatId: 'c', messages: [userMessage(`m${n}`, text)] });
  const search = (query: string) => `search(query: "${query}", first: 1) { edges { node { message { id } } } }`;

  parley.takeStatements();
  await expectRefusal(parley, `{ viewer { userId } ${search(`${wanted} ${unwanted}`)} }`, 'use rarer or fewer words');
  expect(parley.takeStatements().filter((sql) => sql.includes('replace('))).toEqual([]);
  expect(await parley.ask(`{ ${search('wanted1 -unwanted1')} }`)).toHaveProperty('data.search.edges.length', 1);
});

test('30 searches of one operation wait for each other without a warning', async () => {
  const parley = await openParley();
  await createChat(parley, 'c');
  await save(parley, { chatId: 'c', messages: [userMessage('m', 'word')] });
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const aliases = Array.from(
    { length: 30 },
    (_, n) => `a${n}: search(query: "word", first: ${n}) { edges { cursor } }`,
  );
  expect(await parley.ask(`{ ${aliases.join(' ')} }`)).toHaveProperty('data.a29.edges.length', 1);
  expect(warnings).toEqual([]);
});

test('4,500 snippets are too many', async () => {
  const parley = await openParley();
  await createChat(parley, 'c');
  for (const part of [0, 1]) {
    const messages = Array.from({ length: 450 }, (_, n) => userMessage(`m${part}-${n}`, 'word'));
    await save(parley, { chatId: 'c', messages });
  }
  // Equal searches have the same snippets.
  const search = (n: number) => `a${n}: search(query: "word", first: ${900 - n}) { edges { node { snippet } } }`;
  await expectRefusal(parley, `{ ${[0, 1, 2, 3, 4].map(search).join(' ')} }`, 'request fewer hits');
  const fewer = await parley.ask(`{ ${[0, 1, 2, 3].map(search).join(' ')} }`);
  expect(fewer).toHaveProperty('data.a3.edges.length', 897);
});
