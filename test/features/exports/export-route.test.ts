/** `GET /export` over sockets. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { startWithChats } from '../../auth/access-tokens.js';
import { addMemberRow } from '../../support/chats/members.js';
import { writeChain } from '../../support/chats/large-chats.js';
import { bearer } from '../../support/server/tokens.js';
import { temporaryFile } from '../../support/temporary-folder.js';
import { atDatabase } from '../../cli/database-content.js';
import { idsIn, serverWith } from '../imports/http/transfer-server.js';

describe('GET /export', () => {
  it('returns the chats of the user, and the requested chats to admins', async () => {
    const { out } = await serverWith({ a: 'ann', b: 'bob', c: 'ann' });
    const [ann, admin] = [await bearer('ann'), await bearer('root', true)];
    const own = await out('', ann);
    expect([own.status, idsIn(own.text)]).toEqual([200, ['a', 'c']]);
    expect(own.headers.get('content-disposition')).toBe('attachment; filename="parley.jsonl"');
    expect(own.headers.get('parley-not-held')).toBe(
      'drafts that are being written; contents of files, which a zip has',
    );
    expect(idsIn((await out('?chatId=c', ann)).text)).toEqual(['c']);
    expect(idsIn((await out('', admin)).text)).toEqual([]);
    expect(idsIn((await out('?userId=bob', admin)).text)).toEqual(['b']);
    expect(idsIn((await out('?chatId=b', admin)).text)).toEqual(['b']);
    expect(idsIn((await out('?everybody=true', admin)).text)).toEqual(['a', 'b', 'c']);
    expect(idsIn((await out('?since=2999-01-01', ann)).text)).toEqual([]);
  });

  it('returns a chat of another user by its id only, while the viewer is a member', async () => {
    const server = await startWithChats();
    const bob = await bearer('bob');
    const { remove } = await addMemberRow(server.databaseUrl, 'one', 'bob');
    const exported = async (parameters: string) => {
      const response = await server.route(bob, `/export${parameters}`);
      return { status: response.status, chats: (await response.text()).match(/(?<=words in )\w+/g) };
    };
    expect(await exported('?chatId=one')).toEqual({ status: 200, chats: ['one'] });
    expect(await exported('')).toEqual({ status: 200, chats: ['other'] });
    expect(await exported('?chatId=two')).toMatchObject({ status: 404 });
    await remove();
    expect(await exported('?chatId=one')).toMatchObject({ status: 404 });
  });

  it('names the file of a single chat by its title', async () => {
    const server = await serverWith({});
    await atDatabase(server.databaseUrl, async ({ store }) => {
      await createChat(store, { userId: 'ann', isAdmin: false }, { id: 'trip', title: 'Über "Porto"\r\n' });
    });
    const ann = await bearer('ann');
    const nameOf = async (query: string) => (await server.out(query, ann)).headers.get('content-disposition');
    const encoded = "filename*=UTF-8''%C3%9Cber-Porto.trip";
    expect(await nameOf('?chatId=trip')).toBe(
      `attachment; filename="-ber-Porto.trip.parley.jsonl"; ${encoded}.parley.jsonl`,
    );
    expect(await nameOf('?chatId=trip&format=html&paths=leaves')).toContain(`${encoded}.leaves.html`);
    expect(await nameOf('?chatId=trip&format=html&zip=true')).toContain(`${encoded}.zip`);
    expect(await nameOf('?format=markdown')).toBe('attachment; filename="chats.md"');
  });

  it('returns a zip with a file for each chat', async () => {
    const server = await serverWith({ a: 'ann', b: 'bob', c: 'ann' });
    const ann = await bearer('ann');
    const zipped = async (format: string) => {
      const answer = await fetch(new URL(`/export?zip=true&format=${format}`, server.url), { headers: ann });
      expect(answer.headers.get('content-disposition')).toBe('attachment; filename="chats.zip"');
      expect(answer.headers.get('content-type')).toBe('application/zip');
      const path = temporaryFile();
      writeFileSync(path, Buffer.from(await answer.arrayBuffer()));
      return path;
    };
    const names = execFileSync('unzip', ['-Z1', await zipped('markdown')], { encoding: 'utf8' });
    expect(names.trim().split('\n').sort()).toEqual(['Of-ann.a.md', 'Of-ann.c.md']);
    const target = await serverWith({});
    const body = readFileSync(await zipped('librechat'));
    const headers = { ...ann, 'content-type': 'application/zip' };
    const imported = await fetch(new URL('/import', target.url), { method: 'POST', headers, body });
    expect(await imported.text()).toContain('"imported":2');
  });

  it.each([
    ['', undefined, 401, 'UNAUTHENTICATED'],
    ['?userId=bob', 'ann', 403, 'FORBIDDEN'],
    ['?everybody=true', 'ann', 403, 'FORBIDDEN'],
    ['?chatId=b', 'ann', 404, 'NOT_FOUND'],
    ['?chatId=nothing', 'ann', 404, 'NOT_FOUND'],
    ['?format=docx', 'ann', 400, 'BAD_REQUEST'],
    ['?since=soon', 'ann', 400, 'BAD_REQUEST'],
    ['?zip=1', 'ann', 400, 'BAD_REQUEST'],
    ['?user=ann', 'ann', 400, 'BAD_REQUEST'],
    ['?since=2020&since=2021', 'ann', 400, 'BAD_REQUEST'],
  ])('%s of %s is refused with %i', async (query, user, status, code) => {
    const { out } = await serverWith({ b: 'bob' });
    const answer = await out(query, user === undefined ? {} : await bearer(user));
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({ errors: [{ extensions: { code } }] });
  });

  it('waits for a client that reads slowly, and stops when it disconnects', async () => {
    const server = await serverWith({});
    await atDatabase(server.databaseUrl, ({ store }) => writeChain(store, 'long', 5000));
    const headers = await bearer('u');
    const go = () =>
      new Promise<void>((resolve, reject) => {
        const request = httpRequest(server.at('/export'), { headers }, (response) => {
          response.once('data', () => {
            response.once('close', resolve);
            response.destroy();
          });
          response.on('error', () => {});
        });
        request.on('error', reject).end();
      });
    // More than the concurrent maximum of a user: each has released its slot.
    for (let n = 0; n < 5; n++) await go();
    await expect.poll(async () => (await server.out('?chatId=long', headers)).status).toBe(200);
    const whole = await server.out('', headers);
    expect(whole.text.match(/^\{"message":/gm)).toHaveLength(5000);
    expect(whole.text).toMatch(/\{"end":\{"chat":"long","messages":5000,"events":\d+\}\}\n$/);
    expect(server.unexpectedErrors.size).toBe(0);
  });
});
