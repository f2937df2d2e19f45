/** The role that each mutation requires. A new mutation needs an entry here. */
import { isUnionType, getNamedType } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../../src/server/schema.js';
import { ask, belongingsOf, documentFor, isDone, UNLIMITED, type Belongings } from '../../support/chats/belongings.js';
import { fieldsOf } from '../../support/chats/id-arguments.js';
import { openParley, type Parley } from '../../support/server/parley.js';

const ROLES = ['READER', 'COMMENTER', 'WRITER', 'OWNER'] as const;
type Role = (typeof ROLES)[number];

/** The lowest role that may run each mutation on another user's branches and drafts; null: roles have no effect. */
const REQUIRED: Record<string, Role | null> = {
  addMember: 'OWNER',
  appendToDraft: 'WRITER',
  btw: 'COMMENTER',
  createAccessToken: 'READER',
  createChat: null,
  createCheckpoint: 'WRITER',
  createShare: 'OWNER',
  deleteBranch: 'WRITER',
  deleteChat: 'OWNER',
  deleteCheckpoint: 'WRITER',
  discardDraft: 'WRITER',
  editMessage: 'COMMENTER',
  finishDraft: 'WRITER',
  forkChat: 'READER',
  liftLegalHold: null,
  removeMember: 'OWNER',
  renameBranch: 'WRITER',
  replayWebhookDeliveries: null,
  restoreChat: 'OWNER',
  restoreCheckpoint: 'WRITER',
  revokeAccessToken: null,
  revokeShare: 'OWNER',
  rewind: 'WRITER',
  saveMessages: 'WRITER',
  setLegalHold: null,
  setRetention: null,
  setStorageQuota: null,
  startDraft: 'WRITER',
  stopDraft: 'WRITER',
  switchBranch: 'WRITER',
  switchToSibling: 'WRITER',
  transferChat: 'OWNER',
  updateChat: 'WRITER',
  upsertChat: null,
};

/** Mutations that a COMMENTER may run on its own branches and drafts: a READER lacks that role. */
const ON_OWN_BRANCHES = [
  ...['appendToDraft', 'discardDraft', 'finishDraft', 'startDraft', 'stopDraft'],
  ...['deleteBranch', 'renameBranch', 'saveMessages'],
];

/** For members that are not owners, a deleted chat is unknown. */
const HIDDEN = ['restoreChat'];

const mutations = fieldsOf(schema).filter(({ name }) => name.startsWith('Mutation.'));

async function become(parley: Parley, own: Belongings, role: Role): Promise<string> {
  if (role === 'OWNER') return own.userId;
  const add = 'mutation ($input: AddMemberInput!) { addMember(input: $input) { __typename } }';
  const input = { chatId: own.chatId, userId: 'bob', role };
  expect(isDone(await ask(parley, own.userId, add, { input }))).toBe(true);
  return 'bob';
}

test('every mutation has a required role', () => {
  expect(Object.keys(REQUIRED).sort()).toEqual(mutations.map(({ field }) => field.name).sort());
  for (const { field } of mutations) {
    const result = getNamedType(field.type);
    const types = isUnionType(result) ? result.getTypes().map(({ name }) => name) : [];
    const isRefusable = !['READER', null].includes(REQUIRED[field.name]!) && !HIDDEN.includes(field.name);
    expect([field.name, types.includes('ForbiddenError')]).toEqual([field.name, isRefusable]);
  }
});

test('each role may run the mutations that require it or a lower one', async () => {
  const parley = await openParley({ limits: UNLIMITED });
  for (const field of mutations) {
    const required = REQUIRED[field.field.name];
    if (required == null) continue;
    const isHidden = HIDDEN.includes(field.field.name);
    const outcomes: string[] = [];
    const expected: string[] = [];
    let own = await belongingsOf(parley, 'alice');
    const outcomeFor = async (userId: string) => {
      const { document, variables } = documentFor(field, own);
      const withRole = document.replace('__typename', '__typename ... on ForbiddenError { requiredRole }');
      const { text, data } = await ask(
        parley,
        userId,
        required === 'READER' || isHidden ? document : withRole,
        variables,
      );
      const { __typename: type = text, requiredRole = '' } = (data?.[field.field.name] ?? {}) as Record<string, string>;
      return type.endsWith('Payload') ? 'success' : `${type} ${requiredRole}`;
    };
    outcomes.push(await outcomeFor('mallory'));
    expected.push('NotFoundError ');
    for (const role of ROLES) {
      // A successful call may have changed anything.
      if (outcomes.at(-1) === 'success') own = await belongingsOf(parley, 'alice');
      outcomes.push(await outcomeFor(await become(parley, own, role)));
      const isAllowed = ROLES.indexOf(role) >= ROLES.indexOf(required);
      const lacking = role === 'READER' && ON_OWN_BRANCHES.includes(field.field.name) ? 'COMMENTER' : required;
      const refusal = isHidden ? 'NotFoundError ' : `ForbiddenError ${lacking}`;
      expected.push(isAllowed ? 'success' : refusal);
    }
    expect([field.name, ...outcomes]).toEqual([field.name, ...expected]);
  }
});
