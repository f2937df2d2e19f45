/** `npm run answer`, in this process, on a server with a SQLite file. */
import { RemoteStore } from '@parley/context';
import { expect, it, onTestFinished } from 'vitest';
import { Answerer } from '../../examples/answer/answerer.js';
import { claimQuestion } from '../../examples/answer/claim.js';
import { echoModel } from '../../examples/answer/echo-model.js';
import { ParleyServer } from '../../examples/answer/parley-server.js';
import { claimId } from '../../examples/answer/question.js';
import { startConfigured } from '../support/server/configured-server.js';
import { temporaryDatabaseUrl } from '../support/database/temporary-database.js';
import { bearer, SECRET } from '../support/server/tokens.js';
import { startAnswering, startEcho } from './answer-chats.js';
import { answersTo, ask, growingDraft, newMessage } from './answered-chats.js';
import { startEndpoint } from './model-endpoint.js';

async function startServer(settings: { AUTH_JWT_SECRET?: string } = {}) {
  const server = await startConfigured({ DATABASE_URL: temporaryDatabaseUrl(), MIGRATE_ON_START: 'true', ...settings });
  return { url: server.url, store: new RemoteStore({ url: server.url }) };
}

it('answers a question that is saved after its start, and no older one', async () => {
  const { url, store } = await startServer();
  await ask(store, 'old', newMessage('before'));
  const answering = await startEcho(url);
  await ask(store, 'new', newMessage('q1', 'first words'), newMessage('a1', 'an answer', 'assistant'));
  await ask(store, 'new', newMessage('q2', 'hello  you'));
  await answering.line(/^Question q2 of chat new \(main\) was answered/);
  const { headMessageId } = await store.getActiveBranch('new');
  const [, , question, answer] = await store.getMessageChain(headMessageId!);
  expect(question).toMatchObject({ id: 'q2' });
  expect(answer).toMatchObject({
    name: 'assistant',
    data: { metadata: { model: 'echo' }, parts: [{ type: 'text', text: 'Echo: hello  you' }] },
  });
  expect(await store.listDrafts('new')).toEqual([]);
  expect(await answersTo(store, 'old', 'before')).toEqual([]);
  expect(await answering.end()).toBe(0);
});

it('answers edits, btw questions, and a question again after a rewind', async () => {
  const { url, store } = await startServer();
  const answering = await startEcho(url);
  await ask(store, 'c', newMessage('q1'));
  await answering.line(/^Question q1 of chat c \(main\)/);
  await store.createBranch({ chatId: 'c', headMessageId: 'q1', name: 'again', isActive: true });
  await answering.line(/^Question q1 of chat c \(again\)/);
  await store.createBranch({ chatId: 'c', headMessageId: 'q1', name: 'aside', isActive: false });
  await ask(store, 'other', newMessage('q3'));
  await answering.line(/^Question q3 of chat other/);
  await store.saveMessages('c', [newMessage('q2')], { branch: 'aside' });
  await answering.line(/^Question q2 of chat c \(aside\)/);
  const { messages, branch } = await store.saveMessages('c', [newMessage('q1', 'edited')]);
  await answering.line(new RegExp(`^Question ${messages[0]!.id} of chat c \\(${branch.name}\\) was answered`));
  expect(await answersTo(store, 'c', 'q1')).toEqual(['Echo: q1', 'Echo: q1', 'q2']);
  expect(await answersTo(store, 'c', 'q2')).toEqual(['Echo: q2']);
  expect(await store.listDrafts('c')).toEqual([]);
});

it('ends an answer that is stopped as incomplete, and does not answer again, in any process', async () => {
  const { url, store } = await startServer();
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const lines: string[] = [];
  const output = { out: (line: string) => lines.push(line), error: (line: string) => lines.push(line) };
  const options = {
    concurrency: 1,
    maxMessages: 10,
    idleTimeout: 15,
    hasTitles: false,
    output,
    signal: ending.signal,
  };
  const [own, other] = ['own', 'other'].map((writer) => {
    return new Answerer({ server: new ParleyServer({ url }), model: echoModel(20), writer, ...options });
  });
  await ask(store, 'c', newMessage('q1', 'words '.repeat(1_000)));
  const { id: branchId } = await store.getActiveBranch('c');
  const question = { chatId: 'c', branchId, branchName: 'main', messageId: 'q1' };
  await own!.add(question);
  const draft = await growingDraft(store, 'c');
  await other!.add(question);
  await other!.finished();
  await store.stopDraft('c', draft.id);
  await own!.finished();
  expect(lines).toEqual([
    expect.stringMatching(/^Question q1 of chat c \(main\) was stopped, saved as incomplete, after/),
  ]);
  expect(await store.getMessage(draft.id)).toMatchObject({ data: { metadata: { status: 'incomplete' } } });

  const again = await store.createBranch({ chatId: 'c', headMessageId: 'q1', name: 'again', isActive: true });
  const asked = { ...question, branchId: again.id, branchName: 'again' };
  await store.startDraft('c', { id: claimId(asked, 1), metadata: { writer: 'third' } });
  for (const answerer of [own!, other!]) await answerer.add(asked);
  for (const answerer of [own!, other!]) await answerer.finished();
  await store.discardDraft('c', claimId(asked, 1));
  for (const answerer of [own!, other!]) await answerer.watch();
  for (const answerer of [own!, other!]) await answerer.finished();
  expect([lines.length, await store.listDrafts('c')]).toEqual([1, []]);
});

it('releases a claim when the question was answered meanwhile', async () => {
  const { url, store } = await startServer();
  await ask(store, 'c', newMessage('q1'), newMessage('a1', 'answered', 'assistant'));
  const { id: branchId } = await store.getActiveBranch('c');
  const question = { chatId: 'c', branchId, branchName: 'main', messageId: 'q1' };
  const claim = { metadata: { writer: 'late', model: 'echo' }, idleTimeout: 15 };
  const free = { state: 'free', title: null } as const;
  expect(await claimQuestion(new ParleyServer({ url }), question, free, claim)).toBeNull();
  expect(await store.listDrafts('c')).toEqual([]);
  expect(await answersTo(store, 'c', 'q1')).toEqual(['answered']);
});

it('releases a claim when another program started its answer meanwhile', async () => {
  const { url, store } = await startServer();
  await ask(store, 'c', newMessage('q1'));
  const { id: branchId } = await store.getActiveBranch('c');
  const question = { chatId: 'c', branchId, branchName: 'main', messageId: 'q1' };
  const claim = { metadata: { writer: 'late', model: 'echo' }, idleTimeout: 15 };
  await store.startDraft('c', { id: 'theirs', parentId: 'q1' });
  const free = { state: 'free', title: null } as const;
  expect(await claimQuestion(new ParleyServer({ url }), question, free, claim)).toBeNull();
  expect((await store.listDrafts('c')).map(({ id }) => id)).toEqual(['theirs']);
});

it('names untitled chats after their first answer with --titles', async () => {
  const { url, store } = await startServer();
  const answering = await startEcho(url, '--titles');
  await store.createChat({ id: 'named', userId: 'local', title: 'Mine' });
  await ask(store, 'named', newMessage('q1'));
  await ask(store, 'unnamed', newMessage('q2', 'one two three four five six seven'));
  await answering.line(/^Question q1/);
  await answering.line(/^Question q2/);
  await answering.end();
  expect((await store.getChat('named'))?.title).toBe('Mine');
  expect((await store.getChat('unnamed'))?.title).toBe('one two three four five six');
});

async function accessTokenOf(url: string, headers: Record<string, string>): Promise<string> {
  const query =
    'mutation { createAccessToken(input: { name: "answers", scopes: [WRITE] }) { ... on AccessTokenPayload { accessToken { token } } } }';
  const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } };
  const answer = (await (await fetch(url, { ...init, body: JSON.stringify({ query }) })).json()) as {
    data: { createAccessToken: { accessToken: { token: string } } };
  };
  return answer.data.createAccessToken.accessToken.token;
}

it("answers a user's chats with the user's access token, and all chats with an admin's token", async () => {
  const { url } = await startServer({ AUTH_JWT_SECRET: SECRET });
  const [ann, bob, admin] = await Promise.all([bearer('ann'), bearer('bob'), bearer('root', true)]);
  const [annStore, bobStore] = [ann, bob].map((headers) => new RemoteStore({ url, headers }));
  const echo = ['--url', url, '--model', 'echo', '--echo-delay', '0'];
  const ofAnn = startAnswering([...echo, '--token', await accessTokenOf(url, ann)]);
  expect(await ofAnn.line(/^Answering/)).toBe(`Answering the chats of user ann of ${url} with echo.`);
  await annStore!.createChat({ id: 'a', userId: 'ann' });
  await bobStore!.createChat({ id: 'b', userId: 'bob' });
  await bobStore!.saveMessages('b', [newMessage('qb')]);
  await annStore!.saveMessages('a', [newMessage('qa')]);
  await ofAnn.line(/^Question qa/);
  await ofAnn.end();
  expect((await bobStore!.getGraph('b')).nodes).toHaveLength(1);
  const ofAll = startAnswering(echo.concat('--backlog'), { ANSWER_TOKEN: admin.authorization.slice('Bearer '.length) });
  expect(await ofAll.line(/^Answering/)).toBe(`Answering all chats of ${url} with echo.`);
  await ofAll.line(/^Question qb of chat b \(main\) was answered/);
  expect(await bobStore!.getChat('b')).toMatchObject({ userId: 'bob' });
});

it('sends an endpoint the newest messages of the branch, and repeats a failed call', async () => {
  const { url, store } = await startServer();
  const endpoint = await startEndpoint((request) => (request === 1 ? 503 : ['An ', 'answer.']));
  const answering = startAnswering(
    ['--url', url, '--model', 'small', '--base-url', endpoint.url, '--titles', '--system', 'Be brief.'].concat([
      '--max-messages',
      '2',
      '--max-output-tokens',
      '99',
    ]),
    { ANSWER_API_KEY: 'key' },
  );
  await answering.line(/^Answering/);
  await ask(store, 'c', newMessage('q1'), newMessage('a1', 'a1', 'assistant'), newMessage('q2', 'Who?'));
  await answering.line(/^Question q2 of chat c \(main\) is retried: .* failed: status 503/);
  await answering.line(/^Question q2 of chat c \(main\) was answered/);
  await answering.end();
  expect(await answersTo(store, 'c', 'q2')).toEqual(['An answer.']);
  expect(await store.listDrafts('c')).toEqual([]);
  expect(endpoint.requests[1]).toMatchObject({
    model: 'small',
    max_tokens: 99,
    authorization: 'Bearer key',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Who?' },
    ],
  });
  expect((await store.getChat('c'))?.title).toBe('An answer.');
});

it.each([
  [[], '--model is missing'],
  [['--model', 'm'], '--base-url is missing: only --model echo needs no endpoint'],
  [['--model', 'm', '--base-url', 'localhost'], '--base-url must be http:// or https://, and a host, not "localhost"'],
  [['--model', 'echo', '--concurrency', '65'], '--concurrency must be a whole number from 1 to 64'],
  [['--model', 'echo', '--idle-timeout', '9'], '--idle-timeout must be a whole number from 10 to 3600'],
  [['echo'], 'too many arguments'],
])('reports the error of %o, and prints the usage', async (args, message) => {
  const { exited, lines } = startAnswering(args);
  expect(await exited).toBe(2);
  expect(lines[0]).toContain(message);
  expect(lines[0]).toContain('Usage: npm run answer --');
});

it('ends for a wrong address or token', async () => {
  const { url } = await startServer({ AUTH_JWT_SECRET: SECRET });
  const echo = ['--model', 'echo', '--url'];
  const wrong = startAnswering([...echo, new URL('/nothing', url).href]);
  expect([await wrong.exited, wrong.lines]).toEqual([
    1,
    [expect.stringMatching(/\/nothing answered with status 404, .* --url must be the address of GraphQL/)],
  ]);
  const refused = startAnswering([...echo, url, '--token', 'no.such.token']);
  expect([await refused.exited, refused.lines]).toEqual([
    1,
    [expect.stringMatching(/a valid token must be given with --token or ANSWER_TOKEN/)],
  ]);
});
