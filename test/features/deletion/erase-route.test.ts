/** `DELETE /users` over sockets. */
import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { openStream } from '../../support/server/event-stream.js';
import { writeChain } from '../../support/chats/large-chats.js';
import { bearer } from '../../support/server/tokens.js';
import { atDatabase, contentOf } from '../../cli/database-content.js';
import { idsIn, serverWith } from '../imports/http/transfer-server.js';

describe('DELETE /users', () => {
  it('erases a user for an admin, reports the counts, and notifies followers of their chats', async () => {
    const server = await serverWith({ a: 'ann', b: 'bob', c: 'ann' });
    const admin = await bearer('root', true);
    const post = (body: string, headers: Record<string, string> = {}) =>
      fetch(server.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers, ...admin },
        body,
      });
    const stream = await openStream(
      { post },
      'subscription { chatEvents(chatId: "a", after: 3) { __typename actorId } }',
    );
    expect(await stream.next()).toMatchObject({ data: { chatEvents: { __typename: 'BranchHeadMoved' } } });
    const answer = await server.erase('?userId=ann', admin);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({ erased: { removed: { chats: 2, messages: 2 }, isInLog: false } });
    expect(await stream.next()).toEqual({ data: { chatEvents: { __typename: 'ChatDeleted', actorId: 'erased' } } });
    const { chats, messages, texts } = await contentOf(server.databaseUrl);
    expect([chats.map(({ id }) => id), messages.length, texts.length]).toEqual([['b'], 1, 1]);
    expect(JSON.stringify(await contentOf(server.databaseUrl))).not.toContain('ann');
    const again = await server.erase('?userId=ann', admin);
    expect(JSON.parse(again.text)).toMatchObject({ erased: { removed: { chats: 0, messages: 0 } } });
    expect(server.unexpectedErrors.size).toBe(0);
  });

  it('is refused for a user under a legal hold, and leaves everything', async () => {
    const server = await serverWith({ a: 'ann' });
    const admin = await bearer('root', true);
    const query = 'mutation { setLegalHold(input: { chatId: "a", reason: "case" }) { __typename } }';
    const headers = { 'content-type': 'application/json', ...admin };
    await fetch(server.url, { method: 'POST', headers, body: JSON.stringify({ query }) });
    const { status, text } = await server.erase('?userId=ann', admin);
    expect([status, JSON.parse(text)]).toMatchObject([409, { errors: [{ extensions: { code: 'LEGAL_HOLD' } }] }]);
    expect((await contentOf(server.databaseUrl)).messages.length).toBe(1);
    expect(server.unexpectedErrors.size).toBe(0);
  });

  it.each([
    ['?userId=bob', undefined, 401, 'UNAUTHENTICATED'],
    ['?userId=bob', 'bob', 403, 'FORBIDDEN'],
    ['?userId=ann', 'bob', 403, 'FORBIDDEN'],
    ['', 'root', 400, 'BAD_REQUEST'],
    ['?userId=', 'root', 400, 'BAD_REQUEST'],
    ['?userId=ann&userId=bob', 'root', 400, 'BAD_REQUEST'],
    ['?user=ann', 'root', 400, 'BAD_REQUEST'],
  ])('%s by %s is refused with %i', async (query, user, status, code) => {
    const { erase, databaseUrl } = await serverWith({ b: 'bob' });
    const answer = await erase(query, user === undefined ? {} : await bearer(user, user === 'root'));
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({ errors: [{ extensions: { code } }] });
    expect((await contentOf(databaseUrl)).chats).toHaveLength(1);
  });

  it('refuses forms and links', async () => {
    const { at, databaseUrl } = await serverWith({ b: 'bob' });
    for (const method of ['GET', 'POST']) {
      const response = await fetch(at('/users?userId=bob'), { method, headers: await bearer('root', true) });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'DELETE']);
    }
    expect((await contentOf(databaseUrl)).chats).toHaveLength(1);
  });

  it('continues after the client disconnects', async () => {
    const server = await serverWith({ b: 'bob' });
    await atDatabase(server.databaseUrl, ({ store }) => writeChain(store, 'long', 3000));
    const headers = await bearer('root', true);
    await new Promise<void>((resolve) => {
      const request = httpRequest(server.at('/users?userId=u'), { method: 'DELETE', headers });
      request.on('error', () => resolve()).end(() => setImmediate(() => request.destroy(new Error('gone'))));
    });
    await expect.poll(async () => idsIn((await server.out('?everybody=true', headers)).text)).toEqual(['b']);
    expect(server.unexpectedErrors.size).toBe(0);
  });
});
