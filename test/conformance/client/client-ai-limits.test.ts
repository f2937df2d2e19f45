/** Answers beyond the limits of a draft, and answers that cannot be written. */
import { expect, test } from 'vitest';
import { startListening, type ListeningServer } from '../../support/server/listening-server.js';
import { drafted, openPage, savedThread, stored, textOf, type Page } from './chat-page.js';

/** Asks a question whose answer the test streams, and waits for its end. */
async function answerWith(page: Page, stream: () => void | Promise<void>): Promise<void> {
  const sent = page.chat.sendMessage({ text: 'Tell me.' });
  await page.model.requests(1);
  await stream();
  page.model.end();
  await sent;
}

async function savedAnswer(server: ListeningServer) {
  expect(await stored(server)).toEqual({ messages: 2, drafts: [] });
  return (await savedThread(server))[1]!;
}

test('an answer with a chunk of 300 KiB is saved', async () => {
  const server = await startListening();
  const page = openPage(server);
  const output = 'x'.repeat(300 * 1024);
  await answerWith(page, () => {
    page.model.callTool('t');
    page.model.send({ type: 'tool-output-available', toolCallId: 't', output });
    page.model.words('Done.');
  });
  expect(page.errors).toEqual([]);
  const answer = await savedAnswer(server);
  expect(answer.parts[1]).toMatchObject({ state: 'output-available', output });
  expect(textOf(answer)).toBe('Done.');
  expect(answer.metadata).toBeUndefined();
});

test('an answer of 700 chunks of 1 KiB at once is saved', async () => {
  const server = await startListening();
  const page = openPage(server);
  await answerWith(page, () => {
    for (let n = 0; n < 700; n++) page.model.words(String(n % 10).repeat(1024));
  });
  expect(page.errors).toEqual([]);
  const answer = await savedAnswer(server);
  expect(textOf(answer)).toBe(textOf(page.chat.messages[1]!));
  expect(textOf(answer)).toHaveLength(700 * 1024);
});

test('an answer whose draft is full is saved completely', async () => {
  const server = await startListening();
  const page = openPage(server);
  const data = 'x'.repeat(250 * 1024);
  await answerWith(page, () => {
    page.model.words('It began');
    for (let n = 0; n < 36; n++) page.model.send({ type: 'data-progress', transient: true, data });
    page.model.words(' and ended.');
  });
  expect(page.errors).toEqual([]);
  expect(textOf(await savedAnswer(server))).toBe('It began and ended.');
});

test('an answer that is too large for a message is truncated, and is an error', async () => {
  const server = await startListening();
  const page = openPage(server);
  await answerWith(page, () => {
    for (let n = 0; n < 1100; n++) page.model.words('é'.repeat(512));
  });
  expect(page.errors).toMatchObject([
    {
      code: 'INVALID_INPUT',
      message: 'The answer is larger than the 1048576 bytes of a message: its end is not saved',
    },
  ]);
  const answer = await savedAnswer(server);
  expect(answer).toMatchObject({ metadata: { status: 'incomplete' } });
  const bytes = Buffer.byteLength(JSON.stringify(answer));
  expect(bytes).toBeLessThanOrEqual(1024 * 1024);
  expect(bytes).toBeGreaterThan(1024 * 1024 - 64);
});

test('a chunk that the server refuses is an error, and the answer so far is saved as incomplete', async () => {
  const server = await startListening();
  const page = openPage(server);
  let deep: unknown = 'x';
  for (let depth = 0; depth < 500; depth++) deep = [deep];
  const sent = page.chat.sendMessage({ text: 'Tell me.' });
  await page.model.requests(1);
  page.model.words('It began');
  page.model.send({ type: 'data-progress', transient: true, data: deep });
  await sent;
  expect(page.errors).toMatchObject([{ code: 'INVALID_INPUT' }]);
  expect(page.chat.status).toBe('error');
  const answer = await savedAnswer(server);
  expect(textOf(answer)).toBe('It began');
  expect(answer).toMatchObject({ metadata: { status: 'incomplete' } });
});

test('an answer that another tab discards is an error', async () => {
  const server = await startListening();
  const page = openPage(server);
  await answerWith(page, async () => {
    page.model.words('It began');
    await drafted(page, 'It began');
    const id = page.chat.messages[1]!.id;
    await server.ask(`mutation { discardDraft(input: { chatId: "c", id: "${id}" }) { __typename } }`);
    page.model.words(' and ended.');
  });
  expect(page.errors).toMatchObject([{ code: 'NOT_FOUND' }]);
  expect(await stored(server)).toEqual({ messages: 1, drafts: [] });
});

test('an answer whose model fails after some words is saved as incomplete, and is an error', async () => {
  const server = await startListening();
  const page = openPage(server);
  const sent = page.chat.sendMessage({ text: 'Tell me.' });
  await page.model.requests(1);
  page.model.words('It began');
  await drafted(page, 'It began');
  page.model.fail(new Error('The model failed'));
  await sent;
  expect(page.errors).toMatchObject([{ message: 'The model failed' }]);
  expect(await savedAnswer(server)).toMatchObject({ metadata: { status: 'incomplete' } });
});
