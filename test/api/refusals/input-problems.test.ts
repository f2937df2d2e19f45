/** An InvalidInputError has all problems of its input, so that a form shows each of them. */
import { beforeEach, expect, test } from 'vitest';
import { openParley, type Parley } from '../../support/server/parley.js';

let parley: Parley;
beforeEach(async () => {
  parley = await openParley();
});

const PROBLEMS = '... on InvalidInputError { message path problems { path message } }';

interface Refusal {
  message: string;
  path: string | null;
  problems: { path: string[]; message: string }[];
}

async function refusalOf(mutation: string, type: string, input: object): Promise<Refusal> {
  const document = `mutation ($input: ${type}!) { ${mutation}(input: $input) { ${PROBLEMS} } }`;
  const { data, errors } = await parley.ask(document, { input });
  if (data == null) throw new Error(JSON.stringify(errors));
  return data[mutation] as Refusal;
}

const user = { name: 'user', content: { text: 'a' } };

test.each<[mutation: string, type: string, input: object, paths: string[]]>([
  ['createChat', 'CreateChatInput', { id: '', title: '', metadata: [] }, ['id', 'title', 'metadata']],
  ['updateChat', 'UpdateChatInput', { chatId: 'c', title: '', metadata: 1 }, ['title', 'metadata']],
  [
    'saveMessages',
    'SaveMessagesInput',
    {
      chatId: 'c',
      branch: '',
      branchName: '',
      createChat: { title: '', metadata: 1 },
      messages: [
        { ...user, sourceIds: ['', ' '] },
        { ...user, name: '', type: '', id: '' },
        { ...user, content: { text: '\0' } },
      ],
    },
    [
      ...['createChat.title', 'createChat.metadata', 'branch', 'messages.0.sourceIds.0', 'messages.0.sourceIds.1'],
      ...['messages.1.id', 'messages.1.name', 'messages.1.type', 'messages.2.content.text', 'branchName'],
    ],
  ],
  [
    'editMessage',
    'EditMessageInput',
    { chatId: 'c', messageId: 'm', id: '', content: { text: '\0' }, branchName: '' },
    ['content.text', 'id', 'branchName'],
  ],
  ['renameBranch', 'RenameBranchInput', { chatId: 'c', name: '', newName: '' }, ['name', 'newName']],
  [
    'startDraft',
    'StartDraftInput',
    { chatId: 'c', id: '', name: '', idleTimeout: 1, at: { message: 'a' }, expectedHead: { id: 'b' }, metadata: '\0' },
    ['id', 'name', 'idleTimeout', 'at', 'metadata'],
  ],
  [
    'appendToDraft',
    'AppendToDraftInput',
    { chatId: 'c', id: 'd', offset: 0, chunks: ['\0', 1, '\0'] },
    ['chunks.0', 'chunks.2'],
  ],
  [
    'createAccessToken',
    'CreateAccessTokenInput',
    { name: '', scopes: [], expiresAt: '2020-01-01T00:00:00.000Z' },
    ['name', 'scopes', 'expiresAt'],
  ],
  [
    'createShare',
    'CreateShareInput',
    { chatId: 'c', title: '', expiresAt: '2020-01-01T00:00:00.000Z' },
    ['title', 'expiresAt'],
  ],
])('%s returns all problems at once', async (mutation, type, input, paths) => {
  const { problems, ...first } = await refusalOf(mutation, type, input);
  expect(problems.map(({ path }) => path.join('.'))).toEqual(paths);
  expect(first).toEqual({ path: paths[0], message: problems[0]?.message });
  for (const { path, message } of problems) expect(message).toContain(path.join('.'));
});

test('an error has at most 20 problems', async () => {
  const messages = Array.from({ length: 30 }, () => ({ ...user, name: '', type: '' }));
  const { problems } = await refusalOf('saveMessages', 'SaveMessagesInput', { chatId: 'c', messages });
  expect(problems.map(({ path }) => path.join('.'))).toEqual(
    Array.from({ length: 20 }, (_, n) => `messages.${Math.floor(n / 2)}.${n % 2 === 0 ? 'name' : 'type'}`),
  );
});

test('a problem of no single field has an empty path', async () => {
  const input = { chatId: 'c', reason: 'case' };
  const document = `mutation ($input: SetLegalHoldInput!) { setLegalHold(input: $input) { ${PROBLEMS} } }`;
  const { data } = await parley.ask(document, { input }, { 'x-user-id': 'ann' });
  const message = 'only an admin may set and lift legal holds';
  expect(data?.['setLegalHold']).toEqual({ message, path: null, problems: [{ path: [], message }] });
});
