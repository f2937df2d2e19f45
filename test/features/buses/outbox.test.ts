/** The outbox of a bus, and the encoding of wakes. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createOutbox, wakeOf } from '../../../src/features/buses/outbox.js';

/** A server that responds on demand. */
function server() {
  const sent: (readonly string[])[] = [];
  const answers: { resolve: () => void; reject: (error: Error) => void }[] = [];
  return {
    sent,
    send: (payloads: readonly string[]) => {
      sent.push(payloads);
      return new Promise<void>((resolve, reject) => answers.push({ resolve, reject }));
    },
    accept: () => answers.shift()!.resolve(),
    fail: () => answers.shift()!.reject(new Error('no')),
  };
}

const turn = () => new Promise(setImmediate);

it('sends the first wake at once, and later ones as the newest of each chat', async () => {
  const { sent, send, accept } = server();
  const outbox = createOutbox();
  outbox.open(send);
  outbox.put({ chatId: 'a', version: 1 });
  expect(sent).toEqual([['["a",1]']]);
  for (const version of [2, 5, 3]) outbox.put({ chatId: 'a', version });
  outbox.put({ chatId: 'b', version: 7 });
  await turn();
  expect(sent).toHaveLength(1);
  accept();
  await turn();
  expect(sent.slice(1)).toEqual([['["a",5]', '["b",7]']]);
  accept();
  await turn();
  expect(sent).toHaveLength(2);
  outbox.put({ chatId: 'a', version: 6 });
  expect(sent[2]).toEqual(['["a",6]']);
});

it('keeps the greatest length of a draft, unless the draft must be read', async () => {
  const { sent, send, accept } = server();
  const outbox = createOutbox();
  outbox.open(send);
  outbox.put({ chatId: 'a', version: 1 });
  for (const length of [2, 5, 3]) outbox.put({ chatId: 'a', partId: 'd', length });
  for (const length of [2, null, 3]) outbox.put({ chatId: 'a', partId: 'e', length });
  outbox.put({ chatId: 'a', version: 2 });
  accept();
  await turn();
  expect(sent[1]).toEqual(['["a","d",5]', '["a","e",null]', '["a",2]']);
});

it('holds 10,000 chats while the server does not respond, and drops the oldest', async () => {
  const { sent, send, accept } = server();
  const outbox = createOutbox();
  outbox.open(send);
  for (let version = 0; version < 100_000; version++) outbox.put({ chatId: `c${version}`, version });
  expect(outbox.size).toBe(10_000);
  expect(sent).toHaveLength(1);
  accept();
  await turn();
  expect(outbox.size).toBe(0);
  expect(sent[1]).toHaveLength(10_000);
  expect(sent[1]!.at(0)).toBe('["c90000",90000]');
  expect(sent[1]!.at(-1)).toBe('["c99999",99999]');
});

it('drops the wakes of a failed send, and continues with the rest', async () => {
  const { sent, send, fail } = server();
  const outbox = createOutbox();
  outbox.open(send);
  outbox.put({ chatId: 'lost', version: 1 });
  outbox.put({ chatId: 'next', version: 1 });
  fail();
  await turn();
  expect(sent).toEqual([['["lost",1]'], ['["next",1]']]);
  outbox.open(() => {
    throw new Error('at once');
  });
  fail();
  await turn();
  expect(() => outbox.put({ chatId: 'a', version: 1 })).not.toThrow();
});

it('keeps waiting wakes without a connection, and sends them on the next one', async () => {
  const [first, second] = [server(), server()];
  const outbox = createOutbox();
  outbox.put({ chatId: 'a', version: 1 });
  outbox.open(first.send);
  expect(first.sent).toEqual([['["a",1]']]);
  outbox.put({ chatId: 'b', version: 1 });
  outbox.shut();
  first.fail();
  await turn();
  outbox.put({ chatId: 'c', version: 1 });
  expect(outbox.size).toBe(2);
  outbox.open(second.send);
  await turn();
  expect(first.sent).toHaveLength(1);
  expect(second.sent).toEqual([['["b",1]', '["c",1]']]);
});

it('does not use two connections at once, if one connects before the other has responded', async () => {
  const [first, second] = [server(), server()];
  const outbox = createOutbox();
  outbox.open(first.send);
  outbox.put({ chatId: 'a', version: 1 });
  outbox.put({ chatId: 'b', version: 1 });
  outbox.shut();
  outbox.open(second.send);
  await turn();
  expect(second.sent).toEqual([]);
  first.fail();
  await turn();
  expect(second.sent).toEqual([['["b",1]']]);
});

it('encodes any id so that it decodes unchanged', async () => {
  const any = fc.string({ unit: 'binary', maxLength: 255 });
  await fc.assert(
    fc.asyncProperty(any, fc.nat(), async (chatId, version) => {
      const { sent, send, accept } = server();
      const outbox = createOutbox();
      outbox.open(send);
      const drafts = [version, null].map((length) => ({ chatId, partId: chatId, length }));
      for (const wake of [{ chatId, version }, ...drafts, { noticeId: chatId }, { erasedUserId: chatId }]) {
        outbox.put(wake);
        expect(wakeOf(sent.at(-1)![0]!)).toEqual(wake);
        accept();
        await turn();
      }
    }),
  );
});

it.each([
  '',
  'hello',
  'null',
  '7',
  '{}',
  '[]',
  '["a"]',
  '["a","1"]',
  '["a",1.5]',
  '["a",1,2]',
  '["a","b",1.5]',
  '["a","b","c"]',
  '[1,"a"]',
  '[1,2]',
  '[null,1]',
  '[null,null,1]',
  '[null,"a","b"]',
  '["a",1e99]',
])('decodes no wake from %j', (payload) => {
  expect(wakeOf(payload)).toBeUndefined();
});
