/** `POST /import` over sockets: responses. */
import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { saveMessages } from '../../../../src/conversation/saving/save.js';
import { openStream } from '../../../support/server/event-stream.js';
import { rawDatabase } from '../../../support/database/raw-database.js';
import { bearer } from '../../../support/server/tokens.js';
import { atDatabase, contentOf } from '../../../cli/database-content.js';
import { serverWith } from './transfer-server.js';

describe('POST /import', () => {
  it('accepts an export from any user, and reports in lines', async () => {
    const from = await serverWith({ a: 'ann', c: 'ann' });
    const to = await serverWith({});
    const { text } = await from.out('', await bearer('ann'));
    const answer = await to.bring(text, await bearer('eve'));
    expect(answer.status).toBe(200);
    const lines = answer.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const size = Buffer.byteLength(text);
    const progress = { read: size, of: size };
    expect(lines).toMatchObject([
      { conversation: { format: 'parley', result: 'imported', messageIds: [expect.any(String)] }, progress },
      { conversation: { format: 'parley', result: 'imported' }, progress },
      { totals: { conversations: { imported: 2, failed: 0 } }, couldNotRead: [] },
    ]);
    expect((await contentOf(to.databaseUrl)).chats.map(({ id, userId }) => [id, userId])).toEqual([
      ['a', 'eve'],
      ['c', 'eve'],
    ]);
    // A user cannot name another one as the actor.
    expect(new Set((await contentOf(to.databaseUrl)).events.map(({ actorId }) => actorId))).toEqual(new Set(['eve']));
    const admin = await bearer('root', true);
    expect((await to.bring(text, admin, '?userId=ann')).text).toContain('"imported":2');
    expect((await to.bring(text, await bearer('eve'))).text).toContain('"unchanged":2');
  });

  it('reports conversations beyond the storage quota, and imports those before', async () => {
    const from = await serverWith({ a: 'ann', b: 'ann' });
    const { text } = await from.out('', await bearer('ann'));
    const to = await serverWith({}, { storageQuotaBytes: 10 });
    const lines = (await to.bring(text, await bearer('eve'))).text;
    expect(lines).toMatch(/Chats and files use \d+ of 10 bytes/);
    expect(lines).toMatch(/"imported":1,.*"failed":1/);
    expect((await contentOf(to.databaseUrl)).chats).toHaveLength(1);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=a', ''])(
    'refuses media types that a page of another origin can send without preflight: %s',
    async (type) => {
      const { bring, databaseUrl } = await serverWith({});
      const answer = await bring('{"parley":1}', { ...(await bearer('ann')), 'content-type': type });
      expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
        415,
        { errors: [{ extensions: { code: 'UNSUPPORTED_MEDIA_TYPE' } }] },
      ]);
      expect((await contentOf(databaseUrl)).chats).toEqual([]);
    },
  );

  it.each([
    ['', undefined, 'x', 401],
    ['?userId=bob', 'ann', 'x', 403],
    ['?format=docx', 'ann', 'x', 400],
    ['', 'ann', '', 400],
    ['', 'ann', 'PK\u0003\u0004 no zip', 400],
  ])('%s of %s with %j is refused', async (query, user, body, status) => {
    const { bring, unexpectedErrors } = await serverWith({});
    const answer = await bring(body, user === undefined ? {} : await bearer(user), query);
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain('/tmp');
    expect(unexpectedErrors.size).toBe(0);
  });

  it('writes nothing of a truncated body', async () => {
    const from = await serverWith({ a: 'ann' });
    const { text } = await from.out('', await bearer('ann'));
    const to = await serverWith({});
    const headers = { ...(await bearer('ann')), 'content-type': 'application/jsonl', 'content-length': '99999' };
    await new Promise<void>((resolve) => {
      const request = httpRequest(to.at('/import'), { method: 'POST', headers }).on('error', () => resolve());
      request.write(text, () => request.destroy(new Error('gone')));
    });
    expect((await to.bring(text, await bearer('bob'))).text).toContain('"imported":1');
    expect((await contentOf(to.databaseUrl)).chats.map(({ userId }) => userId)).toEqual(['bob']);
    expect(to.unexpectedErrors.size).toBe(0);
  });

  it('notifies followers of a chat of imported messages', async () => {
    const [from, to] = [await serverWith({ a: 'ann' }), await serverWith({}, { sweepIntervalMs: 3_600_000 })];
    const ann = await bearer('ann');
    await to.bring((await from.out('', ann)).text, ann);
    const post = (body: string, headers: Record<string, string> = {}) =>
      fetch(to.url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers, ...ann }, body });
    const stream = await openStream({ post }, 'subscription { chatEvents(chatId: "a", after: 3) { seq } }');
    expect(await stream.next()).toMatchObject({ data: { chatEvents: { seq: 4 } } });
    await atDatabase(from.databaseUrl, ({ store }) => {
      const messages = [{ id: 'a-2', name: 'user', type: 'message', content: { text: 'Again' } }];
      return saveMessages(store, { userId: 'ann', isAdmin: false }, { chatId: 'a', messages });
    });
    expect((await to.bring((await from.out('', ann)).text, ann)).text).toContain('"updated":1');
    expect(await stream.next()).toMatchObject({ data: { chatEvents: { seq: 5 } } });
  });

  it('ends with an error without details when the database fails', async () => {
    const { bring, databaseUrl, unexpectedErrors } = await serverWith({});
    await (await rawDatabase(databaseUrl)).run('ALTER TABLE message_texts RENAME TO secret_texts');
    const answer = await bring('{"messages":[{"role":"user","content":"x"}]}\n', await bearer('ann'));
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
      500,
      { errors: [{ message: 'Unexpected error.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }] },
    ]);
    expect([...unexpectedErrors.values()].join()).toContain('no such table');
  });

  it('reports unreadable conversations with their place', async () => {
    const { bring } = await serverWith({});
    const answer = await bring('{"nothing":1}', await bearer('ann'));
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"couldNotRead"')]);
  });
});
