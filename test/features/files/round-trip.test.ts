/** Any chats with files have an equal graph and equal contents after an export as a zip and its import elsewhere. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../support/effort.js';
import { sha256, startFileServer } from './file-server.js';

type User = Awaited<ReturnType<Awaited<ReturnType<typeof startFileServer>>['as']>>;

const contents = fc.array(fc.uint8Array({ minLength: 1, maxLength: 12_000 }), { minLength: 1, maxLength: 4 });
const fileName = fc.oneof(
  fc.constantFrom('photo.png', 'näme "quoted".txt', '100%.md', '図.pdf'),
  fc.string({ minLength: 1, maxLength: 20 }).map((name) => name.replaceAll(/\p{Cc}/gu, '-')),
);
const message = fc.record({
  /** Which of the earlier messages it follows, from the newest one. */
  parent: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(5) }),
  text: fc.string({ maxLength: 30 }).map((text) => text.replaceAll('\0', '')),
  files: fc.array(fc.record({ n: fc.nat(3), name: fileName }), { maxLength: 3 }),
});
type Written = typeof message extends fc.Arbitrary<infer Value> ? Value : never;
const chats = fc.array(fc.array(message, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 2 });

/** Two chats share a file after one that only the second chat has, and a message has several files. */
const SHARED_FILES: Written[][] = [
  [{ parent: 0, text: '', files: [0, 1, 2].map((n) => ({ n, name: 'a.png' })) }],
  [{ parent: 0, text: '', files: [0, 3, 1].map((n) => ({ n, name: 'b.png' })) }],
];
const CONTENTS = [1, 100, 9_001, 12_000].map((length, n) => new Uint8Array(length).fill(65 + n));

async function write(user: User, chatId: string, messages: Written[], hashes: string[]) {
  await user.createChat(chatId);
  for (const [n, { parent, text, files }] of messages.entries()) {
    const after = n - 1 - parent;
    if (parent > 0 && after >= 0) {
      const rewind = `mutation ($chatId: ID!, $messageId: ID!, $branchName: String!) {
        rewind(input: { chatId: $chatId, at: { message: $messageId }, branchName: $branchName }) { __typename }
      }`;
      await user.ask(rewind, { chatId, messageId: `${chatId}.${after}`, branchName: `branch ${n}` });
    }
    const parts = files.map((file) => ({
      type: 'file',
      filename: file.name,
      url: `parley:file:${hashes[file.n % hashes.length]}`,
    }));
    const saved = await user.save(chatId, `${chatId}.${n}`, {
      role: 'user',
      parts: [{ type: 'text', text }, ...parts],
    });
    expect(saved.__typename).toBe('SaveMessagesPayload');
  }
}

const graphOf = (user: User, chatId: string) =>
  user.ask(
    `query ($id: ID!) { chat(id: $id) {
      title createdAt activeBranch { name } graph { nodes { id parentId createdAt } }
      branches(first: 10) { edges { node {
        name head { id } chain(limit: 10) { id parentId name data createdAt files { id name mediaType size url } }
      } } }
    } }`,
    { id: chatId },
  );

it('holds for any tree, names and contents, also when files are shared', async () => {
  const [from, to] = [await startFileServer(), await startFileServer()];
  let run = 0;
  await fc.assert(
    fc.asyncProperty(chats, contents, async (written, bytes) => {
      const userId = `user${run++}`;
      const [source, target] = [await from.as(userId), await to.as(userId)];
      const hashes = bytes.map(sha256);
      for (const each of bytes) expect((await source.upload(new Uint8Array(each))).status).toBe(201);
      const ids = written.map((_, n) => `${userId}-${n}`);
      for (const [n, messages] of written.entries()) await write(source, ids[n]!, messages, hashes);
      const zip = new Uint8Array(await (await source.get('/export?zip=true')).arrayBuffer());
      expect((await target.bring(zip)).at(-1)).toMatchObject({
        totals: { conversations: { imported: ids.length }, warnings: 0 },
      });
      for (const id of ids) expect(await graphOf(target, id)).toEqual(await graphOf(source, id));
      const used = written.flatMap((messages) =>
        messages.flatMap(({ files }) => files.map(({ n }) => n % hashes.length)),
      );
      for (const [n, hash] of hashes.entries()) {
        const read = await target.get(`/files/${hash}`);
        expect(read.status).toBe(used.includes(n) || used.some((other) => hashes[other] === hash) ? 200 : 404);
        if (read.status === 200) expect(sha256(new Uint8Array(await read.arrayBuffer()))).toBe(hash);
      }
    }),
    { numRuns: runs(20), examples: [[SHARED_FILES, CONTENTS]] },
  );
});
