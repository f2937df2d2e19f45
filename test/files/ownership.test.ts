/** Rights on files: every way to reach the content of another user, for each kind of viewer. */
import { describe, expect, it } from 'vitest';
import { UrlSigner } from '../../src/http/files/signed-urls.js';
import { PNG, sha256, startFileServer, withFile } from './file-server.js';

const SECRET = 'a secret of signed URLs, of thirty-two bytes';
const FILE = sha256(PNG);
const OTHER = Buffer.concat([PNG, Buffer.from('of bob')]);
const REFERENCE = `parley:file:${FILE}`;
const ANN = { userId: 'ann' };
const HOUR_MS = 3_600_000;
const sessionOf = (userId: string) => ({ viewer: { userId, isAdmin: false }, expiresAt: null });

/** The chat "a" of ann has a message "m" with a file, and the chat "b" of bob a message "n" with another. */
async function twoOwners() {
  const server = await startFileServer({ filesSecret: SECRET });
  const [ann, bob, root] = [await server.as('ann'), await server.as('bob'), await server.as('root', true)];
  await ann.createChat('a');
  await bob.createChat('b');
  await ann.upload(PNG);
  await ann.save('a', 'm', withFile(REFERENCE));
  await bob.upload(OTHER);
  await bob.save('b', 'n', withFile(`parley:file:${sha256(OTHER)}`));
  const status = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(server.at(path), { headers })).status;
  return { server, ann, bob, root, status, signer: new UrlSigner(SECRET) };
}

type Owners = Awaited<ReturnType<typeof twoOwners>>;
type User = Owners['ann'];

const transfer = ({ root }: Owners) =>
  root.ask('mutation { transferChat(input: { id: "a", userId: "bob" }) { __typename } }');
const deleteChat = ({ ann }: Owners) => ann.ask('mutation { deleteChat(input: { id: "a" }) { __typename } }');

const statusesOf = async (user: User) => [
  (await user.get(`/files/${FILE}?message=m`)).status,
  (await user.get(`/files/${FILE}`)).status,
];

const linkOf = async (user: User, messageId = 'm', fileId = FILE) => {
  const { body } = await user.links([{ fileId, messageId }]);
  return (body['links'] as { url: string | null; expiresAt: number | null }[])[0]!;
};

/** Answers to a stranger must not depend on the file: status, headers and body. */
async function answerTo(user: User, path: string) {
  const response = await user.get(path);
  const headers = Object.fromEntries(response.headers);
  const body = (await response.text()).replace(/"requestId":"[^"]*"/, '');
  return { status: response.status, type: headers['content-type'], etag: headers['etag'], body };
}

describe('GET /files/<id>', () => {
  it('returns the content to the owner and to admins only', async () => {
    const owners = await twoOwners();
    const { ann, bob, root, status } = owners;
    expect(await statusesOf(ann)).toEqual([200, 200]);
    expect(await statusesOf(root)).toEqual([200, 200]);
    expect(await statusesOf(bob)).toEqual([404, 404]);
    expect([await status(`/files/${FILE}?message=m`), await status(`/files/${FILE}`)]).toEqual([401, 401]);
  });

  it('is the same for a file of another user and for an unknown one', async () => {
    const { bob } = await twoOwners();
    const unknown = FILE.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
    for (const query of ['', '?message=m', '?message=n', '?message=unknown', '?download=true']) {
      const foreign = await answerTo(bob, `/files/${FILE}${query}`);
      expect([query, foreign]).toEqual([query, await answerTo(bob, `/files/${unknown}${query}`)]);
      expect(foreign.status).toBe(404);
    }
    const conditional = await bob.get(`/files/${FILE}?message=m`, { 'if-none-match': `"${FILE}"` });
    expect(conditional.status).toBe(404);
    expect((await bob.get(`/files/${FILE}?message=m`, { range: 'bytes=0-0' })).status).toBe(404);
  });

  it('requires that the message itself contains the file', async () => {
    const { ann, bob } = await twoOwners();
    await ann.save('a', 'without', { role: 'user', parts: [{ type: 'text', text: REFERENCE }] });
    expect((await ann.get(`/files/${FILE}?message=without`)).status).toBe(404);
    // A message of another chat with an own file.
    expect((await ann.get(`/files/${sha256(OTHER)}?message=n`)).status).toBe(404);
    expect((await ann.get(`/files/${FILE}?message=n`)).status).toBe(404);
    expect((await bob.get(`/files/${sha256(OTHER)}?message=m`)).status).toBe(404);
  });

  it('follows a transfer, and the new owner can refer to the file', async () => {
    const owners = await twoOwners();
    const { ann, bob } = owners;
    await transfer(owners);
    expect(await statusesOf(ann)).toEqual([404, 404]);
    expect(await statusesOf(bob)).toEqual([200, 200]);
    expect(await bob.save('b', 'again', withFile(REFERENCE))).toMatchObject({
      messages: [{ files: [{ id: FILE, url: `/files/${FILE}?message=again` }] }],
    });
    expect((await bob.get(`/files/${FILE}?message=again`)).status).toBe(200);
  });

  it('ends with the deletion of the chat', async () => {
    const owners = await twoOwners();
    await deleteChat(owners);
    expect(await statusesOf(owners.ann)).toEqual([404, 404]);
    expect(await statusesOf(owners.root)).toEqual([404, 404]);
  });
});

describe('signed URLs', () => {
  it('are issued for readable files only', async () => {
    const { ann, bob, root, server } = await twoOwners();
    expect((await linkOf(ann)).url).toMatch(`/files/${FILE}?message=m&user=ann&expires=`);
    expect((await linkOf(root)).url).toContain('admin=true');
    const none = { url: null, expiresAt: null };
    expect(await linkOf(bob)).toEqual({ fileId: FILE, messageId: 'm', ...none });
    expect(await linkOf(bob, 'unknown')).toMatchObject(none);
    expect(await linkOf(bob, 'n')).toMatchObject(none);
    expect(await linkOf(ann, 'n', sha256(OTHER))).toMatchObject(none);
    const response = await fetch(server.at('/files/links'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ files: [{ fileId: FILE, messageId: 'm' }] }),
    });
    expect(response.status).toBe(401);
  });

  it('of an admin for foreign files end with the token, and name an admin for these alone', async () => {
    const { root } = await twoOwners();
    const own = Buffer.concat([PNG, Buffer.from('of root')]);
    await root.createChat('r');
    await root.upload(own);
    await root.save('r', 'mine', withFile(`parley:file:${sha256(own)}`));
    const [foreign, mine] = [await linkOf(root), await linkOf(root, 'mine', sha256(own))];
    const { exp } = JSON.parse(Buffer.from(root.token.split('.')[1]!, 'base64url').toString()) as { exp: number };
    // Sessions end a few seconds after their tokens: clocks differ.
    expect(Math.abs(foreign.expiresAt! - exp * 1000)).toBeLessThan(60_000);
    expect(mine.expiresAt).toBeGreaterThan(exp * 1000);
    expect([foreign.url!.includes('admin=true'), mine.url!.includes('admin')]).toEqual([true, false]);
  });

  it('work without a token until they expire, with the rights of their viewer at that time', async () => {
    const owners = await twoOwners();
    const { ann, root, status, signer } = owners;
    const [url, adminUrl] = [(await linkOf(ann)).url!, (await linkOf(root)).url!];
    expect([await status(url), await status(adminUrl), await status(`${url}&download=true`)]).toEqual([200, 200, 200]);
    const expired = signer.sign({ fileId: FILE, messageId: 'm' }, ANN, sessionOf('ann'), Date.now() - 3 * HOUR_MS);
    expect(await status(expired.url)).toBe(403);
    await transfer(owners);
    expect([await status(url), await status(adminUrl)]).toEqual([404, 200]);
    const ofBob = (await linkOf(owners.bob)).url!;
    expect(await status(ofBob)).toBe(200);
    await owners.bob.ask('mutation { deleteChat(input: { id: "a" }) { __typename } }');
    expect([await status(ofBob), await status(adminUrl)]).toEqual([404, 404]);
  });

  it('are refused when any part of them was changed', async () => {
    const { ann, bob, root, status, signer } = await twoOwners();
    const { url } = await linkOf(ann);
    const changed = (change: (query: URLSearchParams) => void, path = `/files/${FILE}`, from = url!) => {
      const query = new URLSearchParams(from.slice(from.indexOf('?')));
      change(query);
      return `${path}?${query.toString()}`;
    };
    const forged = [
      changed((query) => query.set('user', 'bob')),
      changed((query) => query.set('admin', 'true')),
      changed((query) => query.set('message', 'n')),
      changed((query) => query.set('expires', String(Number(query.get('expires')) + 3_600))),
      changed((query) =>
        query.set(
          'signature',
          query.get('signature')!.replace(/^./, (c) => (c === 'A' ? 'B' : 'A')),
        ),
      ),
      changed((query) => query.set('signature', 'x')),
      changed((query) => query.delete('message')),
      changed((query) => query.delete('user')),
      changed((query) => query.delete('expires')),
      changed(() => {}, `/files/${sha256(OTHER)}`),
      changed((query) => query.delete('admin'), `/files/${FILE}`, (await linkOf(root)).url!),
      new UrlSigner('another secret of thirty-two bytes or more').sign(
        { fileId: FILE, messageId: 'm' },
        ANN,
        sessionOf('ann'),
      ).url,
    ];
    for (const path of forged) expect([path, await status(path)]).toEqual([path, 403]);
    // A token beside a forged signature changes nothing.
    expect((await ann.get(forged[0]!)).status).toBe(403);
    for (const name of ['user', 'message', 'expires', 'signature', 'admin']) {
      expect([name, await status(`${url!}&${name}=true`)]).toEqual([name, name === 'admin' ? 403 : 400]);
    }
    // A correct signature for a viewer without rights.
    const { url: ofBob } = signer.sign({ fileId: FILE, messageId: 'm' }, { userId: 'bob' }, sessionOf('bob'));
    expect([await status(ofBob), (await ann.get(ofBob)).status, (await bob.get(url!)).status]).toEqual([404, 404, 200]);
  });
});

describe('Message.files and references of others', () => {
  it('are not readable for others', async () => {
    const { ann, bob, root } = await twoOwners();
    const query = '{ message(id: "m") { files { id url } } }';
    const files = { message: { files: [{ id: FILE, url: `/files/${FILE}?message=m` }] } };
    expect([await ann.ask(query), await root.ask(query), await bob.ask(query)]).toEqual([
      files,
      files,
      { message: null },
    ]);
  });

  const refused = { __typename: 'InvalidInputError', message: expect.stringContaining('neither uploaded') as unknown };

  it('are refused in saves, edits and drafts, with the same error as unknown files', async () => {
    const { bob, root } = await twoOwners();
    const unknown = `parley:file:${'0'.repeat(64)}`;
    const edit = `mutation ($data: JSON!) {
      editMessage(input: { chatId: "b", messageId: "n", content: { data: $data } }) { __typename ... on Error { message } }
    }`;
    const finish = `mutation ($id: ID!, $data: JSON!) {
      startDraft(input: { chatId: "b", id: $id }) { __typename }
      finishDraft(input: { chatId: "b", id: $id, content: { data: $data } }) { __typename ... on Error { message } }
    }`;
    for (const user of [bob, root]) {
      const answers = [];
      for (const [n, reference] of [REFERENCE, unknown].entries()) {
        const data = withFile(reference);
        const id = `draft${n} of ${user === bob ? 'bob' : 'root'}`;
        const saved = await user.save('b', 'x', data);
        const { editMessage } = await user.ask<Record<string, unknown>>(edit, { data });
        const { finishDraft } = await user.ask<Record<string, unknown>>(finish, { id, data });
        answers.push(
          JSON.stringify([saved, editMessage, finishDraft])
            .replaceAll(reference.slice(-64), '<file>')
            .replaceAll(/Message \\"[^"]*\\"/g, '<message>'),
        );
        expect([saved, editMessage, finishDraft]).toEqual([refused, refused, refused]);
      }
      expect(answers[0]).toBe(answers[1]);
    }
    expect((await bob.ask<{ chat: unknown }>('{ chat(id: "b") { activeBranch { messageCount } } }')).chat).toEqual({
      activeBranch: { messageCount: 1 },
    });
  });

  it('of an admin become files of the owner of the chat', async () => {
    const { bob, root } = await twoOwners();
    const own = Buffer.concat([PNG, Buffer.from('of root')]);
    await root.upload(own);
    const saved = await root.save('b', 'from root', withFile(`parley:file:${sha256(own)}`));
    expect(saved).toMatchObject({ messages: [{ files: [{ id: sha256(own) }] }] });
    expect((await bob.get(`/files/${sha256(own)}`)).status).toBe(200);
    expect(await bob.save('b', 'again', withFile(`parley:file:${sha256(own)}`))).toMatchObject({ messages: [{}] });
  });

  it('in the metadata of an abandoned draft grant nothing', async () => {
    const { bob } = await twoOwners();
    const start = `mutation ($metadata: JSON!) {
      startDraft(input: { chatId: "b", id: "left", metadata: $metadata }) { __typename }
      appendToDraft(input: { chatId: "b", id: "left", offset: 0, chunks: ["x"] }) { __typename }
      finishDraft(input: { chatId: "b", id: "left" }) { __typename ... on Error { message } }
    }`;
    expect(await bob.ask(start, { metadata: { url: REFERENCE } })).toMatchObject({ finishDraft: refused });
    expect((await bob.get(`/files/${FILE}`)).status).toBe(404);
  });

  it('are not found in uploads: a hash does not show whether it exists', async () => {
    const { bob } = await twoOwners();
    const state = async (hash: string) => (await bob.get(`/files?sha256=${hash}`)).json() as Promise<unknown>;
    expect(await state(FILE)).toEqual(await state('0'.repeat(64)));
    expect(await state(sha256(OTHER))).toEqual({ isStored: true, offset: 0 });
  });
});
