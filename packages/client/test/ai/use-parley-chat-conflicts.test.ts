/** Two pages with useParleyChat that send at once: the second message is a conflict. */
import { expect, test } from 'vitest';
import type { ThreadOptions } from '../../src/client.js';
import type { ParleyChatOptions } from '../../src/ai/use-parley-chat.js';
import { openModel, openPage, serveModel } from './chat-page.js';
import { openTab, startChat } from '../open-parley.js';

const WRITERS = ['the route', 'the page'] as const;

/** Two pages of a chat: the second one does not know yet that the first one has sent `A`, and sends `B`. */
async function sendAtOnce(
  writer: (typeof WRITERS)[number],
  options: ParleyChatOptions = {},
  thread: ThreadOptions = {},
) {
  const server = await startChat('q');
  const model = openModel();
  const route = { api: await serveModel(server, model) };
  const given = writer === 'the route' ? route : model;
  const tab = openTab(server);
  const [here, there] = [
    openPage(openTab(server), given),
    openPage(tab, { ...given, ...options }, 'c', undefined, thread),
  ] as const;
  await Promise.all([here, there].map((page) => page.shows('q')));
  await Promise.all([here, there].map((page) => page.isLive()));
  tab.hold();
  await Promise.all([here.chat.sendMessage({ text: 'A' }), model.answers('a')]);
  await here.shows('q | A | a');
  const sent = there.chat.sendMessage({ text: 'B' });
  await expect.poll(() => there.view.text()).toBe('q | B');
  tab.release();
  return { server, model, here, there, sent, answers: model.answers };
}

test.each(WRITERS)('over %s, a message after newer ones moves no page, and is appended on request', async (writer) => {
  const { model, here, there, sent, answers } = await sendAtOnce(writer);
  await sent;
  await Promise.all([here.shows('q | A | a'), there.shows('q | A | a')]);
  const [conflict] = there.chat.conflicts;
  expect([conflict?.messages.map(({ text }) => text), conflict?.newerMessages.map(({ text }) => text)]).toEqual([
    ['B'],
    ['A', 'a'],
  ]);
  expect(conflict?.choices).toEqual(['append', 'fork', 'discard']);
  expect([here.chat.conflicts, there.chat.error]).toEqual([[], undefined]);
  const answered = answers('b');
  expect(await conflict?.resolve('append')).toMatchObject({ ok: true, value: [{ text: 'B' }] });
  await answered;
  expect(model.asked.at(-1)).toEqual(['q', 'A', 'a', 'B']);
  await Promise.all([here.shows('q | A | a | B | b'), there.shows('q | A | a | B | b')]);
  await expect.poll(() => there.chat.conflicts).toEqual([]);
});

test.each(WRITERS)('over %s, a fork is a version beside the newer messages', async (writer) => {
  const { here, there, sent, answers } = await sendAtOnce(writer);
  await sent;
  await there.shows('q | A | a');
  const answered = answers('b');
  await there.chat.conflicts[0]?.resolve('fork');
  await answered;
  await Promise.all([here.shows('q | B | b'), there.shows('q | B | b')]);
  expect(there.chat.siblings(there.chat.messages[1]!.id)).toMatchObject({ index: 1, count: 2 });
});

test('a discarded message leaves the conflicts, and nothing is saved', async () => {
  const { model, there, sent } = await sendAtOnce('the route');
  await sent;
  await there.shows('q | A | a');
  const outcome = await there.chat.conflicts[0]?.resolve('discard');
  expect(outcome).toMatchObject({ ok: false, error: { code: 'HEAD_CONFLICT' } });
  await expect.poll(() => [there.chat.conflicts, there.view.text()]).toEqual([[], 'q | A | a']);
  expect(model.asked).toHaveLength(1);
});

test.each([
  ['hook', { onConflict: 'append' }, {}],
  ['provider', {}, { onConflict: 'append' }],
  ['provider, with an undefined one of the hook,', { onConflict: undefined }, { onConflict: 'append' }],
] as const)('the option onConflict of the %s resolves conflicts', async (_, options, thread) => {
  const { here, there, sent, answers } = await sendAtOnce('the route', options, thread);
  await Promise.all([sent, answers('b')]);
  await Promise.all([here.shows('q | A | a | B | b'), there.shows('q | A | a | B | b')]);
  await expect.poll(() => there.chat.conflicts).toEqual([]);
});

test.each(WRITERS)(
  'over %s, a message that was sent before the answer to its predecessor follows that',
  async (writer) => {
    const server = await startChat('q');
    const model = openModel();
    const route = { api: await serveModel(server, model) };
    const page = openPage(openTab(server), writer === 'the route' ? route : model);
    await page.shows('q');
    await page.isLive();
    const sent = [page.chat.sendMessage({ text: 'A' }), page.chat.sendMessage({ text: 'B' })];
    await expect.poll(() => page.view.text()).toBe('q | A | B');
    await model.answers('a');
    await model.answers('b');
    await Promise.all(sent);
    await page.shows('q | A | a | B | b');
  },
);

test.each(WRITERS)('over %s, messages that wait for one in a conflict are resolved with it', async (writer) => {
  const { there, sent, answers } = await sendAtOnce(writer);
  const next = there.chat.sendMessage({ text: 'C' });
  await Promise.all([sent, next]);
  await there.shows('q | A | a');
  const [conflict] = there.chat.conflicts;
  expect(conflict?.messages.map(({ text }) => text)).toEqual(['B', 'C']);
  const resolved = conflict?.resolve('append');
  await answers('b');
  await answers('c');
  await resolved;
  await there.shows('q | A | a | B | b | C | c');
});

test.each(WRITERS)('over %s, the option onConflict resolves the messages that wait for one, too', async (writer) => {
  const { here, there, sent, answers } = await sendAtOnce(writer, { onConflict: 'append' });
  const next = there.chat.sendMessage({ text: 'C' });
  await answers('b');
  await answers('c');
  await Promise.all([sent, next]);
  await Promise.all([here, there].map((page) => page.shows('q | A | a | B | b | C | c')));
  expect([there.chat.conflicts, there.chat.error]).toEqual([[], undefined]);
});

test('after a rewind elsewhere, a message of a long thread cannot be appended', async () => {
  const server = await startChat('a', 'b', 'c', 'd', 'e', 'f');
  const tab = openTab(server);
  const page = openPage(tab, openModel(), 'c', undefined, { pageSize: 2 });
  await page.shows('e | f');
  await page.isLive();
  tab.hold();
  const other = server.tab.thread('c');
  await other.open();
  await other.rewind('c');
  await other.send('x');
  const sent = page.chat.sendMessage({ text: 'B' });
  await expect.poll(() => page.view.text()).toBe('e | f | B');
  tab.release();
  await sent;
  await page.shows('b | c | x');
  const [conflict] = page.chat.conflicts;
  expect([conflict?.choices, conflict?.newerMessages]).toEqual([['fork', 'discard'], []]);
});

test('a resolution that fails returns its error', async () => {
  let isClosed = false;
  const { there, sent } = await sendAtOnce('the route', {
    fetch: (...request) =>
      isClosed
        ? Promise.resolve(Response.json({ error: { code: 'FORBIDDEN', message: 'Read only' } }, { status: 403 }))
        : fetch(...request),
  });
  await sent;
  await there.shows('q | A | a');
  isClosed = true;
  const outcome = await there.chat.conflicts[0]?.resolve('append');
  expect(outcome).toMatchObject({ ok: false, error: { code: 'FORBIDDEN', message: 'Read only' } });
  await there.shows('q | A | a | B', 'error');
});
