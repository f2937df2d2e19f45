/** Shares: creation, reading without sign-in, and the end of their validity. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { rfc8785 } from '../../../src/conversation/text/canonical-json.js';
import { stopClock } from '../../limits/stopped-clock.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { bearer } from '../../support/server/tokens.js';
import { CREATE_SHARE, SHARED, startWithShares, type ShownMessage, type ShownPath } from './share-server.js';

const text = (id: string, content: string, name = 'user') => ({ id, name, content: { text: content } });

describe('a share', () => {
  it('is shown once, stored as a hash, and read without sign-in', async () => {
    const { as, alice, share, shown, save, databaseUrl } = await startWithShares();
    await save('one', [text('answer', 'An **answer**', 'assistant')]);
    const created = await share({ title: 'For you', expiresAt: '2999-01-01T00:00:00Z' });
    expect(created).toMatchObject({ chat: { id: 'one' }, message: { id: 'answer' }, title: 'For you' });
    expect(created.token).toMatch(/^parley_share_[A-Za-z0-9_-]{43}$/);

    const path = (await shown(created.token))!;
    expect(path).toMatchObject({ title: 'For you', contentHash: created.contentHash, sharedAt: created.createdAt });
    expect(path.messages.edges.map(({ node }) => node)).toEqual([
      {
        name: 'user',
        type: 'message',
        data: { parts: [{ type: 'text', text: 'words in one' }] },
        text: 'words in one',
        createdAt: expect.any(String) as string,
        depth: 0,
      },
      {
        name: 'assistant',
        type: 'message',
        data: { parts: [{ type: 'text', text: 'An **answer**' }] },
        text: 'An **answer**',
        createdAt: expect.any(String) as string,
        depth: 1,
      },
    ]);
    const cursors = path.messages.edges.map(({ cursor }) => Buffer.from(cursor, 'base64url').toString());
    expect(JSON.stringify([path, cursors])).not.toMatch(/"(one|alice|answer|one-1)"|:(one|answer)/);

    const { token: secret, ...rest } = created;
    expect(
      await as(alice, '{ chat(id: "one") { shares { totalCount edges { node { id token expiresAt } } } } }'),
    ).toEqual({
      data: {
        chat: { shares: { totalCount: 1, edges: [{ node: { id: rest.id, token: null, expiresAt: rest.expiresAt } }] } },
      },
    });
    const [row] = await (await rawDatabase(databaseUrl)).rows<object>('SELECT * FROM shares');
    expect(row).toMatchObject({ tokenHash: createHash('sha256').update(secret).digest('hex') });
    expect(JSON.stringify(row)).not.toContain(secret);
  });

  it('shows the path as it was, and nothing of other branches', async () => {
    const { as, alice, share, shown, save } = await startWithShares();
    await save('one', [text('first', 'first answer', 'assistant')]);
    const { token } = await share();
    const at = await share({ place: { messageId: 'one-1' } });
    await save('one', [text('later', 'a later question')]);
    await as(
      alice,
      'mutation { editMessage(input: { chatId: "one", messageId: "first", content: { text: "another branch" } }) { __typename } }',
    );
    const texts = async (of: string) => (await shown(of))!.messages.edges.map(({ node }) => node.text);
    expect(await texts(token)).toEqual(['words in one', 'first answer']);
    expect(await texts(at.token)).toEqual(['words in one']);
    const branch = await share({ place: { branch: 'main' } });
    expect(await texts(branch.token)).toEqual(['words in one', 'first answer', 'a later question']);
  });

  it('ends with its revocation, its expiry, a transfer, and the deletion of the chat', async () => {
    const { as, alice, share, shown, databaseUrl, unexpectedErrors } = await startWithShares();
    const [revoked, expired, transferred] = [await share(), await share(), await share()];
    const deleted = await share({ chatId: 'two' });
    for (const { token } of [revoked, expired, transferred, deleted]) expect(await shown(token)).not.toBeNull();
    await as(
      alice,
      `mutation { revokeShare(input: { id: "${revoked.id}" }) { ... on RevokeSharePayload { deletedId } } }`,
    );
    expect(await shown(revoked.token)).toBeNull();
    await (await rawDatabase(databaseUrl)).run(`UPDATE shares SET "expiresAt" = 1 WHERE "id" = '${expired.id}'`);
    expect(await shown(expired.token)).toBeNull();
    expect(await shown(transferred.token)).not.toBeNull();
    const admin = await bearer('root', true);
    await as(admin, 'mutation { transferChat(input: { chatId: "one", userId: "bob" }) { __typename } }');
    expect(await shown(transferred.token)).toBeNull();
    expect(await as(await bearer('bob'), '{ chat(id: "one") { shares { totalCount } } }')).toEqual({
      data: { chat: { shares: { totalCount: 0 } } },
    });
    await as(alice, 'mutation { deleteChat(input: { chatId: "two" }) { __typename } }');
    expect(await shown(deleted.token)).toBeNull();
    expect(unexpectedErrors).toEqual(new Map());
  });

  it('of an unknown or malformed token is null', async () => {
    const { share, shown } = await startWithShares();
    const { token } = await share();
    for (const wrong of ['', 'x', `${token}x`, token.slice(0, -1), `parley_${'a'.repeat(43)}`, 'a'.repeat(5_000)]) {
      expect([wrong, await shown(wrong)]).toEqual([wrong, null]);
    }
  });

  it('has pages in both directions, without hidden messages', async () => {
    const { share, shown, save } = await startWithShares();
    const hidden = {
      ...text('hidden', ''),
      content: { data: { metadata: { hidden: true }, parts: [{ type: 'text', text: 'instructions' }] } },
    };
    const message = (n: number) => text(`m${n}`, `text ${n}`);
    await save('one', [
      hidden,
      { ...hidden, id: 'hidden-2' },
      message(1),
      message(2),
      { ...hidden, id: 'hidden-3' },
      message(3),
    ]);
    const { token } = await share();
    const all = (await shown(token))!;
    const nodes = all.messages.edges.map(({ node }) => node);
    expect(nodes.map(({ text: shownText, depth }) => [depth, shownText])).toEqual([
      [0, 'words in one'],
      [1, 'text 1'],
      [2, 'text 2'],
      [3, 'text 3'],
    ]);
    expect([all.messageCount, all.messages.totalCount]).toEqual([4, 4]);
    expect(JSON.stringify(all)).not.toContain('instructions');

    const forward: ShownMessage[] = [];
    for (let after: string | null = null, more = true; more;) {
      const { messages }: ShownPath = (await shown(token, { first: 1, after }))!;
      forward.push(...messages.edges.map(({ node }) => node));
      [after, more] = [messages.pageInfo.endCursor, messages.pageInfo.hasNextPage];
    }
    expect(forward).toEqual(nodes);
    const { messages } = (await shown(token, { last: 2, before: all.messages.edges[3]!.cursor }))!;
    expect(messages.edges.map(({ node }) => node)).toEqual(nodes.slice(1, 3));
    expect(messages.pageInfo).toMatchObject({ hasPreviousPage: true, hasNextPage: true });
  });

  it('has the documented hash, equal for equal contents', async () => {
    const { share, shown, save } = await startWithShares();
    const tool = { type: 'tool-search', toolCallId: 'c', state: 'output-available', input: { q: 1 }, output: 2 };
    const parts = [{ type: 'reasoning', text: 'thinking' }, tool, { type: 'text', text: 'Result' }];
    const answer = { name: 'assistant', content: { data: { metadata: { model: 'm' }, parts } } };
    await save('one', [answer]);
    const [plain, again, all] = [
      await share(),
      await share(),
      await share({ includeReasoning: true, includeTools: true }),
    ];
    expect([again.contentHash, all.contentHash].map((hash) => hash === plain.contentHash)).toEqual([true, false]);
    for (const { token, contentHash } of [plain, all]) {
      const { messages } = (await shown(token))!;
      let parent: string | null = null;
      for (const { node } of messages.edges) {
        const { name, type, data } = node;
        const canonical = rfc8785({ createdAt: node.createdAt, data, name, parent, type });
        parent = createHash('sha256').update(canonical).digest('hex');
      }
      expect(parent).toBe(contentHash);
    }
    const { messages } = (await shown(all.token))!;
    expect(messages.edges[1]!.node.data).toEqual({
      parts: [
        { type: 'reasoning', text: 'thinking' },
        { type: 'tool-search', state: 'output-available', input: { q: 1 }, output: 2 },
        { type: 'text', text: 'Result' },
      ],
    });
  });

  it('is listed newest first, in pages', async () => {
    const { as, alice, share } = await startWithShares();
    const ids = [];
    for (let n = 0; n < 4; n++) ids.unshift((await share()).id);
    const list = async (page: string) => {
      const { data } = await as(
        alice,
        `{ chat(id: "one") { shares(${page}) { edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage } } } }`,
      );
      return (data!['chat'] as { shares: { edges: { cursor: string; node: { id: string } }[]; pageInfo: object } })
        .shares;
    };
    const first = await list('first: 2');
    expect(first.edges.map(({ node }) => node.id)).toEqual(ids.slice(0, 2));
    const next = await list(`first: 5, after: "${first.edges[1]!.cursor}"`);
    expect(next.edges.map(({ node }) => node.id)).toEqual(ids.slice(2));
    expect(next.pageInfo).toEqual({ hasNextPage: false, hasPreviousPage: true });
    const back = await list(`last: 1, before: "${first.edges[1]!.cursor}"`);
    expect(back.edges.map(({ node }) => node.id)).toEqual(ids.slice(0, 1));
  });
});

describe('createShare', () => {
  it('names the fault of its input', async () => {
    const { as, alice, save } = await startWithShares();
    await as(alice, 'mutation { createChat(input: { id: "empty" }) { __typename } }');
    await as(alice, 'mutation { createChat(input: { id: "hidden" }) { __typename } }');
    const parts = [{ type: 'text', text: 'x' }];
    await save('hidden', [{ name: 'user', content: { data: { metadata: { hidden: true }, parts } } }]);
    const result = async (input: object) =>
      (await as(alice, CREATE_SHARE, { input: { chatId: 'one', ...input } })).data?.['result'];
    const invalid = { __typename: 'InvalidInputError' };
    expect(await result({ chatId: 'empty' })).toEqual({
      ...invalid,
      code: 'INVALID_INPUT',
      path: 'place',
      message: 'Branch "main" is empty: there is nothing to share',
    });
    expect(await result({ chatId: 'hidden' })).toMatchObject({ ...invalid, path: 'place' });
    expect(await result({ expiresAt: '2020-01-01T00:00:00Z' })).toMatchObject({ ...invalid, path: 'expiresAt' });
    expect(await result({ title: 'x'.repeat(256) })).toMatchObject({ ...invalid, path: 'title' });
    const missing = { __typename: 'NotFoundError' };
    expect(await result({ place: { branch: 'none' } })).toMatchObject({
      ...missing,
      message: 'Branch "none" not found in chat "one"',
    });
    expect(await result({ place: { checkpoint: 'none' } })).toMatchObject({
      ...missing,
      message: 'Checkpoint "none" not found in chat "one"',
    });
    expect(await result({ place: { messageId: 'two-1' } })).toMatchObject({
      ...missing,
      message: 'Message "two-1" not found',
    });
    expect(await result({ chatId: 'other' })).toMatchObject({ ...missing, message: 'Chat "other" not found' });
  });

  it('takes the ids of branches and checkpoints', async () => {
    const { as, alice, share, save } = await startWithShares();
    const created = await as(
      alice,
      `mutation { createCheckpoint(input: { chatId: "one", name: "here" }) {
        ... on CheckpointPayload { checkpoint { id chat { activeBranch { id } } } }
      } }`,
    );
    const { checkpoint } = created.data!['createCheckpoint'] as {
      checkpoint: { id: string; chat: { activeBranch: { id: string } } };
    };
    await save('one', [text('answer', 'An answer', 'assistant')]);
    const ofCheckpoint = await share({ place: { checkpointId: checkpoint.id } });
    expect(ofCheckpoint).toMatchObject({ message: { id: 'one-1' } });
    const ofBranch = await share({ place: { branchId: checkpoint.chat.activeBranch.id } });
    expect(ofBranch).toMatchObject({ message: { id: 'answer' } });
  });

  it('needs MANAGE of an access token', async () => {
    const { as, alice, token, shown } = await startWithShares();
    const input = { chatId: 'one' };
    const reader = await token(alice);
    expect(await as(reader.headers, CREATE_SHARE, { input })).toMatchObject({
      errors: [{ extensions: { code: 'READ_ONLY_TOKEN' } }],
    });
    const writer = await token(alice, { scopes: ['WRITE'], chatId: 'one' });
    expect(await as(writer.headers, CREATE_SHARE, { input })).toMatchObject({
      errors: [{ extensions: { code: 'INSUFFICIENT_SCOPE' } }],
    });
    const manager = await token(alice, { scopes: ['MANAGE'] });
    const { data } = await as(manager.headers, CREATE_SHARE, { input });
    const { share } = data!['result'] as { share: { token: string } };
    expect(await shown(share.token)).not.toBeNull();
  });

  it('allows 100 shares of a chat', async () => {
    const { as, alice, share, databaseUrl } = await startWithShares();
    await share();
    const columns = '"chatId", "messageId", "title", "contentHash", "includeReasoning", "includeTools", "createdAt"';
    const copies = Array.from({ length: 98 }, (_, n) => `SELECT 's${n}', 'h${n}', ${columns} FROM shares`);
    const database = await rawDatabase(databaseUrl);
    await database.run(`INSERT INTO shares ("id", "tokenHash", ${columns}) ${copies.join(' UNION ALL ')}`);
    await share();
    expect(await as(alice, CREATE_SHARE, { input: { chatId: 'one' } })).toMatchObject({
      data: { result: { message: 'A chat can have 100 shares: revoke one first', path: 'chatId' } },
    });
    await share({ chatId: 'two' });
  });
});

describe('a request without credentials', () => {
  it('reads shares only', async () => {
    const { url, share } = await startWithShares();
    const { token } = await share();
    const post = async (body: string, headers: object = {}) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
      const challenge = response.headers.get('www-authenticate');
      return [response.status, challenge, (await response.json()) as { errors?: object[] }] as const;
    };
    const query = (document: string, more: object = {}) =>
      JSON.stringify({ query: document, variables: { token }, ...more });
    const nothing = await post(query('{ viewer { userId } }'));
    expect(nothing).toMatchObject([401, 'Bearer', { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] }]);
    const selection = '(token: "x") { title }';
    for (const body of [
      query(`{ shared${selection} viewer { userId } }`),
      query(`{ a: shared${selection} b: shared${selection} }`),
      query(`{ ...All } fragment All on Query { shared${selection} viewer { userId } }`),
      query(`query A { shared${selection} } query B { viewer { userId } }`, { operationName: 'B' }),
      query('mutation { shared: deleteChat(input: { chatId: "one" }) { __typename } }'),
      query('{ shared: viewer { userId } }'),
      query('{ __schema { queryType { name } } }'),
      query('{ shared('),
      query('', { documentId: 'a'.repeat(64) }),
      query(`{ shared${selection} } ${'#'.repeat(4_000)}`),
      '{',
      '[]',
      'null',
      JSON.stringify({ query: 1 }),
      ' '.repeat(9_000),
    ]) {
      expect([body, await post(body)]).toEqual([body, nothing]);
    }
    expect(await post(query(SHARED), { 'content-type': 'text/plain' })).toEqual(nothing);
    expect(await post(query(SHARED), { authorization: 'Bearer wrong' })).toMatchObject([
      401,
      'Bearer error="invalid_token"',
      {},
    ]);
    expect((await post(query(SHARED)))[0]).toBe(200);
  });

  it('reads shares where only trusted documents run', async () => {
    const { databaseUrl, share, stop } = await startWithShares();
    const { token } = await share();
    await stop();
    const trustedDocuments = { mode: 'only' as const, documents: new Map<string, string>() };
    const { startListening } = await import('../../support/server/listening-server.js');
    const { AUTH } = await import('../../support/server/tokens.js');
    const { url } = await startListening({ databaseUrl, auth: AUTH, trustedDocuments });
    const post = async (query: string, headers: object = {}) => {
      const body = JSON.stringify({ query, variables: { token } });
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
      return (await response.json()) as object;
    };
    expect(await post(SHARED)).toMatchObject({ data: { shared: { messageCount: 1 } } });
    expect(await post('{ viewer { userId } }', await bearer('alice'))).toMatchObject({
      errors: [{ extensions: { code: 'PERSISTED_QUERY_ONLY' } }],
    });
  });

  it('is limited by its address, also with wrong tokens', async () => {
    stopClock();
    const { as, share } = await startWithShares({ limits: { rateLimitPerUser: 10 } });
    const { token } = await share();
    const codes = [];
    for (let n = 0; n < 11; n++) {
      const { errors } = await as({}, SHARED, { token: n < 10 ? 'wrong' : token });
      codes.push(errors?.[0]?.extensions?.['code'] ?? 'OK');
    }
    expect(codes).toEqual([...Array.from({ length: 10 }, () => 'OK'), 'RATE_LIMITED']);
  });
});
