/** Rights on files: every way to reach the content of another user, for each kind of viewer. */
import { describe, expect, it } from 'vitest';
import { PNG, sha256, withFile } from './file-server.js';
import { deleteChat, FILE, OTHER, REFERENCE, transfer, twoOwners, type User } from './two-owners.js';

const statusesOf = async (user: User) => [
  (await user.get(`/files/${FILE}?message=m`)).status,
  (await user.get(`/files/${FILE}`)).status,
];

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
      messages: [{ files: [{ url: `/files/${FILE}?message=again`, file: { id: FILE } }] }],
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

describe('Message.files and references of others', () => {
  it('are not readable for others', async () => {
    const { ann, bob, root } = await twoOwners();
    const query = '{ message(id: "m") { files { url file { id } } } }';
    const files = { message: { files: [{ url: `/files/${FILE}?message=m`, file: { id: FILE } }] } };
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
        expect([saved, editMessage, finishDraft]).toEqual([{ ...refused, path: 'messages' }, refused, refused]);
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
    expect(saved).toMatchObject({ messages: [{ files: [{ file: { id: sha256(own) } }] }] });
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
