/** Shares of several branches of a chat. */
import { describe, expect, it } from 'vitest';
import { rawDatabase } from '../../support/database/raw-database.js';
import { CREATE_SHARE, startWithShares, type NewShare, type ShareServer } from './share-server.js';

const text = (id: string, content = id) => ({ id, name: 'user', content: { text: content } });
const hidden = (id: string) => ({
  id,
  name: 'user',
  content: { data: { metadata: { hidden: true }, parts: [{ type: 'text', text: `unseen ${id}` }] } },
});

const READ = `query ($token: String!, $branch: String) {
  shared(token: $token, branch: $branch) {
    title sharedBy contentHash messageCount
    branches { key name contentHash messageCount forkOf forkPlace }
    messages { edges { cursor node { text depth } } }
  }
}`;

interface Branch {
  key: string;
  name: string | null;
  contentHash: string;
  messageCount: number;
  forkOf: string | null;
  forkPlace: number;
}

interface Shared {
  sharedBy: string | null;
  contentHash: string;
  messageCount: number;
  branches: Branch[];
  messages: { edges: { cursor: string; node: { text: string; depth: number } }[] };
}

interface BranchServer extends ShareServer {
  /** What a reader without credentials sees of a branch. */
  read(token: string, branch?: string): Promise<Shared | null>;
  texts(token: string, branch?: string): Promise<string[]>;
  mutate(fields: string): Promise<void>;
  refused(input: object): Promise<object>;
}

/**
 * Chat `one` with branches: main with one-1, h1, a, b; `forked` with one-1, h1, a, c, h2, d; `deep` with
 * one-1, h1, a, c, e; `short` with one-1; `empty`.
 */
async function startWithBranches(): Promise<BranchServer> {
  const server = await startWithShares();
  const { as, alice, save } = server;
  const read = async (token: string, branch?: string) => {
    const { data, errors } = await as({}, READ, { token, branch });
    expect(errors).toBeUndefined();
    return data!['shared'] as Shared | null;
  };
  const mutate = async (fields: string) => {
    const { data, errors } = await as(alice, `mutation { ${fields} }`);
    expect(errors).toBeUndefined();
    expect(JSON.stringify(data)).not.toContain('Error');
  };
  const branchFrom = (name: string, messageId: string) =>
    mutate(`rewind(input: { chatId: "one", at: { message: "${messageId}" }, branchName: "${name}" }) { __typename }`);
  await save('one', [hidden('h1'), text('a'), text('b')]);
  await branchFrom('forked', 'a');
  await save('one', [text('c'), hidden('h2'), text('d')], 'forked');
  await branchFrom('deep', 'c');
  await save('one', [text('e')], 'deep');
  await branchFrom('short', 'one-1');
  return {
    ...server,
    read,
    texts: async (token, branch) => (await read(token, branch))!.messages.edges.map(({ node }) => node.text),
    mutate,
    refused: async (input) =>
      (await as(alice, CREATE_SHARE, { input: { chatId: 'one', ...input } })).data!['result'] as object,
  };
}

describe('a share of branches', () => {
  it('has each with its messages, its fork and the hash of a share of it alone', async () => {
    const { share, read, texts } = await startWithBranches();
    const place = { branch: 'main' };
    const { token } = await share({ place, branches: ['forked', 'deep', 'short', 'main', 'deep'], sharedBy: 'Noor' });
    const shared = (await read(token))!;
    expect(shared).toMatchObject({ sharedBy: 'Noor', messageCount: 3 });
    const [main, ...others] = shared.branches;
    expect(main).toEqual({
      ...{ key: '0', name: 'main', contentHash: shared.contentHash, messageCount: 3, forkOf: null, forkPlace: 0 },
    });
    expect(others.map(({ name, messageCount, forkOf, forkPlace }) => [name, messageCount, forkOf, forkPlace])).toEqual([
      ['forked', 4, '0', 2],
      ['deep', 4, '1', 3],
      ['short', 1, '0', 1],
    ]);
    const shown: Record<string, string[]> = {
      main: ['words in one', 'a', 'b'],
      forked: ['words in one', 'a', 'c', 'd'],
      deep: ['words in one', 'a', 'c', 'e'],
      short: ['words in one'],
    };
    for (const { key, name, contentHash } of shared.branches) {
      expect(await texts(token, key)).toEqual(shown[name!]);
      expect(await read(token, key)).toMatchObject({ contentHash, branches: shared.branches });
      const alone = await share({ place: { branch: name } });
      expect(alone.contentHash).toBe(contentHash);
    }
  });

  it('shows no ids, and no branch that was not chosen', async () => {
    const { share, read } = await startWithBranches();
    const { token } = await share({ place: { branch: 'main' }, branches: ['deep'] });
    const all = await Promise.all(['0', '1'].map((key) => read(token, key)));
    const cursors = all.flatMap((shared) => shared!.messages.edges).map(({ cursor }) => atob(cursor));
    const seen = JSON.stringify([all, cursors]);
    expect(seen).not.toMatch(/forked|short|unseen|"d"|one-1|alice|"h1"/);
    for (const key of ['2', 'deep', 'forked', '', '-1', '01', '__proto__']) expect(await read(token, key)).toBeNull();
    const other = await share({ place: { branch: 'main' } });
    const [only, ...further] = (await read(other.token))!.branches;
    expect([only, further]).toMatchObject([{ key: '0', name: null }, []]);
    expect(await read(other.token, '1')).toBeNull();
  });

  it('stays when its branches move, are renamed or deleted', async () => {
    const { share, read, texts, save, mutate } = await startWithBranches();
    const { token } = await share({ place: { branch: 'main' }, allBranches: true });
    const before = await read(token, '1');
    for (const branch of ['forked', 'main']) await save('one', [text(`later on ${branch}`)], branch);
    await mutate(`renameBranch(input: { chatId: "one", name: "forked", newName: "renamed" }) { __typename }
      switchBranch(input: { chatId: "one", name: "short" }) { __typename }
      deleteBranch(input: { chatId: "one", name: "deep" }) { __typename }`);
    expect(await read(token, '1')).toEqual(before);
    expect(await texts(token, '0')).toEqual(['words in one', 'a', 'b']);
    expect(await texts(token, '2')).toEqual(['words in one', 'a', 'c', 'e']);
  });

  it('has all branches with messages of the chat, also beside a message that is no head', async () => {
    const { share, read, mutate } = await startWithBranches();
    await mutate('rewind(input: { chatId: "one", at: { start: true }, branchName: "empty" }) { __typename }');
    const { token } = await share({ place: { messageId: 'a' }, allBranches: true });
    const { branches } = (await read(token))!;
    expect(branches.map(({ name, forkOf, forkPlace }) => [name, forkOf, forkPlace])).toEqual([
      [null, null, 0],
      ['main', '0', 2],
      ['forked', '0', 2],
      ['deep', '2', 3],
      ['short', '0', 1],
    ]);
  });

  it('has branches without a message in common', async () => {
    const { share, read, mutate, texts } = await startWithBranches();
    await mutate(
      'editMessage(input: { chatId: "one", messageId: "one-1", branchName: "other", content: { text: "root" } }) { __typename }',
    );
    const { token } = await share({ place: { branch: 'main' }, branches: ['other'] });
    expect((await read(token))!.branches[1]).toMatchObject({ name: 'other', forkOf: null, forkPlace: 0 });
    expect(await texts(token, '1')).toEqual(['root']);
  });

  it('ends with its revocation and the deletion of the chat, and leaves no rows', async () => {
    const { share, read, mutate, databaseUrl } = await startWithBranches();
    const input = { place: { branch: 'main' }, branches: ['forked'] };
    const [revoked, deleted] = [await share(input), await share(input)];
    await mutate(`revokeShare(input: { id: "${revoked.id}" }) { __typename }`);
    expect(await read(revoked.token, '1')).toBeNull();
    expect(await read(deleted.token, '1')).not.toBeNull();
    await mutate('deleteChat(input: { chatId: "one", permanently: true }) { __typename }');
    expect(await read(deleted.token, '1')).toBeNull();
    const database = await rawDatabase(databaseUrl);
    expect(await database.rows('SELECT * FROM shares')).toEqual([]);
  });

  it('is copied branch by branch', async () => {
    const { as, share, alice } = await startWithBranches();
    const { token } = await share({ place: { branch: 'main' }, branches: ['forked'] });
    const copy = async (input: object) => {
      const { data } = await as(
        alice,
        `mutation ($input: ForkChatInput!) { result: forkChat(input: $input) {
          ... on ForkChatPayload { chat { messages { edges { node { text } } } } }
          ... on InvalidInputError { path } ... on Error { code } } }`,
        { input },
      );
      return data!['result'] as { chat?: { messages: { edges: { node: { text: string } }[] } } };
    };
    const copied = await copy({ shareToken: token, sharedBranch: '1' });
    expect(copied.chat!.messages.edges.map(({ node }) => node.text)).toEqual(['words in one', 'a', 'c', 'd']);
    expect(await copy({ shareToken: token, sharedBranch: '2' })).toEqual({ code: 'NOT_FOUND' });
    expect(await copy({ chatId: 'one', sharedBranch: '1' })).toEqual({ code: 'INVALID_INPUT', path: 'sharedBranch' });
  });

  it('is refused with the place of the fault', async () => {
    const { refused, mutate, save } = await startWithBranches();
    await mutate('rewind(input: { chatId: "one", at: { start: true }, branchName: "empty" }) { __typename }');
    const place = { branch: 'main' };
    const invalid = (path: string, message: RegExp) => ({ path, message: expect.stringMatching(message) as string });
    expect(await refused({ place, branches: ['empty'] })).toMatchObject(
      invalid('branches', /^Branch "empty" is empty/),
    );
    expect(await refused({ place, branches: ['none'] })).toMatchObject({
      message: 'Branch "none" not found in chat "one"',
    });
    expect(await refused({ place, branches: ['forked'], allBranches: true })).toMatchObject(
      invalid('allBranches', /together with branches/),
    );
    expect(await refused({ sharedBy: 'x'.repeat(256) })).toMatchObject(invalid('sharedBy', /255/));
    await save(
      'one',
      Array.from({ length: 500 }, (_, n) => hidden(`hidden-${n}`)),
      'short',
    );
    await save('one', [text('end')], 'short');
    expect(await refused({ place, branches: ['short'] })).toMatchObject({ __typename: 'SharePayload' });
    await save('one', [hidden('hidden-500')], 'short');
    expect(await refused({ place, branches: ['short'] })).toMatchObject(
      invalid('branches', /^Branch "short" must have at most 500 hidden messages/),
    );
  });

  it('has at most 20 branches beside its place', async () => {
    const { refused, share, read, mutate } = await startWithBranches();
    const names = Array.from({ length: 18 }, (_, n) => `more-${n}`);
    for (const name of names) {
      await mutate(`rewind(input: { chatId: "one", at: { message: "a" }, branchName: "${name}" }) { __typename }`);
    }
    const place = { branch: 'main' };
    const fault = 'A share can have 20 branches besides its place, got 21: choose them in branches';
    expect(await refused({ place, allBranches: true })).toMatchObject({ path: 'allBranches', message: fault });
    expect(await refused({ place, branches: ['forked', 'deep', 'short', ...names] })).toMatchObject({
      path: 'branches',
      message: fault,
    });
    const { token }: NewShare = await share({ place, branches: ['main', 'forked', 'deep', ...names] });
    expect((await read(token))!.branches).toHaveLength(21);
    expect(await refused({ place, branches: Array.from({ length: 30 }, (_, n) => `n${n}`) })).toMatchObject({
      path: 'branches',
      message: 'branches must have at most 20 elements, got 30',
    });
  });
});
