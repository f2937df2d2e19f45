/** Signed URLs of files: the rights of their viewer at the time of the request, and refusals. */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { UrlSigner } from '../../../src/features/files/routes/signed-urls.js';
import { PNG, sha256, withFile } from './file-server.js';
import { deleteChat, FILE, OTHER, SECRET, transfer, twoOwners, type Owners, type User } from './two-owners.js';

const ANN = { chatId: 'a', userId: 'ann', members: null };
const HOUR_MS = 3_600_000;
const sessionOf = (userId: string) => ({ viewer: { userId, isAdmin: false }, expiresAt: null });

const change = ({ ann }: Owners, mutation: string) => ann.ask(`mutation { ${mutation} { __typename } }`);

const linkOf = async (user: User, messageId = 'm', fileId = FILE) => {
  const { body } = await user.links([{ fileId, messageId }]);
  return (body['links'] as { url: string | null; expiresAt: number | null }[])[0]!;
};

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
    await owners.bob.ask('mutation { deleteChat(input: { chatId: "a" }) { __typename } }');
    expect([await status(ofBob), await status(adminUrl)]).toEqual([404, 404]);
  });

  it('of members work while the members may read the chat', async () => {
    const owners = await twoOwners();
    const { bob, root, status } = owners;
    for (const userId of ['bob', 'root']) {
      await change(owners, `addMember(input: { chatId: "a", userId: "${userId}", role: READER })`);
    }
    const links = [await linkOf(bob), await linkOf(root)];
    const urls = links.map(({ url }) => url!);
    expect(urls.filter((url) => url.includes('admin'))).toEqual([]);
    expect(await Promise.all(urls.map((url) => status(url)))).toEqual([200, 200]);
    await change(owners, 'removeMember(input: { chatId: "a", userId: "bob" })');
    await change(owners, 'removeMember(input: { chatId: "a", userId: "root" })');
    expect(await Promise.all(urls.map((url) => status(url)))).toEqual([404, 404]);
    await change(owners, 'addMember(input: { chatId: "a", userId: "bob", role: COMMENTER })');
    expect(await status(urls[0]!)).toBe(200);
    await deleteChat(owners);
    expect(await status(urls[0]!)).toBe(404);
  });

  it('that an earlier version signed for a member as an admin are refused', async () => {
    const { server, status, signer } = await twoOwners();
    const signedEarlier = (parameters: Record<string, string>) => {
      const text = JSON.stringify(['file', FILE, Object.entries(parameters).sort()]);
      const signature = createHmac('sha256', SECRET).update(text).digest('base64url');
      return `/files/${FILE}?${new URLSearchParams({ ...parameters, signature }).toString()}`;
    };
    const expires = new URLSearchParams(signer.sign({ fileId: FILE, messageId: 'm' }, ANN, sessionOf('ann')).url).get(
      'expires',
    )!;
    const response = await fetch(server.at(signedEarlier({ message: 'm', user: 'bob', admin: 'true', expires })));
    expect([response.status, await response.json()]).toMatchObject([
      403,
      {
        errors: [
          { message: expect.stringContaining('POST /files/links') as string, extensions: { code: 'FORBIDDEN' } },
        ],
      },
    ]);
    expect(await status(signedEarlier({ message: 'm', user: 'ann', expires }))).toBe(200);
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
    const { url: ofBob } = signer.sign({ fileId: FILE, messageId: 'm' }, { ...ANN, userId: 'bob' }, sessionOf('bob'));
    expect([await status(ofBob), (await ann.get(ofBob)).status, (await bob.get(url!)).status]).toEqual([404, 404, 200]);
  });
});
