/** Mutations that name a branch or a checkpoint take its id as well: a page keeps it over a rename. */
import { beforeEach, describe, expect, test } from 'vitest';
import { assistantMessage, chatOfFour, userMessage } from '../support/chats/operations.js';
import type { Parley } from '../support/server/parley.js';
import { BRANCH, mutate as change, SAVED, type Fields } from './changed-chats.js';

let parley: Parley;
let mainId: string;
let checkpointId: string;

const mutate = (field: string, input: Fields, selection = '') =>
  change(parley, field, { chatId: 'c', ...input }, selection);

beforeEach(async () => {
  parley = await chatOfFour();
  const created = await mutate(
    'createCheckpoint',
    { name: 'here', messageId: 'm2' },
    '... on CheckpointPayload { checkpoint { id } }',
  );
  checkpointId = (created['checkpoint'] as { id: string }).id;
  const { data } = await parley.ask('{ chat(id: "c") { activeBranch { id } } }');
  mainId = (data?.['chat'] as { activeBranch: { id: string } }).activeBranch.id;
  await mutate('rewind', { at: { message: 'm1' }, branchName: 'side' });
});

describe('by its id', () => {
  test('a branch is activated, renamed, written to and deleted', async () => {
    expect(await mutate('switchBranch', { branchId: mainId }, BRANCH)).toMatchObject({
      branch: { id: mainId, name: 'main', isActive: true },
    });
    expect(await mutate('renameBranch', { branchId: mainId, newName: 'trunk' }, BRANCH)).toMatchObject({
      branch: { id: mainId, name: 'trunk' },
    });
    await mutate('switchBranch', { name: 'side' });
    expect(await mutate('saveMessages', { branchId: mainId, messages: [userMessage('m5')] }, SAVED)).toMatchObject({
      branch: { name: 'trunk' },
      messages: [{ parentId: 'm4' }],
    });
    const draft = '... on DraftPayload { draft { branch { id } parent { id } } }';
    expect(await mutate('startDraft', { branchId: mainId, id: 'd' }, draft)).toMatchObject({
      draft: { branch: { id: mainId }, parent: { id: 'm5' } },
    });
    const deleted = '... on DeleteBranchPayload { deletedId }';
    expect(await mutate('deleteBranch', { branchId: mainId }, deleted)).toMatchObject({ deletedId: mainId });
  });

  test('a checkpoint is restored, compared and deleted', async () => {
    expect(
      await mutate('restoreCheckpoint', { checkpointId }, '... on BranchPayload { branch { head { id } } }'),
    ).toMatchObject({ branch: { head: { id: 'm2' } } });
    const compare = `query ($base: PlaceInput!, $head: PlaceInput!) {
      chat(id: "c") { compare(base: $base, head: $head) { status base { id } head { id } } }
    }`;
    const { data } = await parley.ask(compare, { base: { checkpointId }, head: { branchId: mainId } });
    expect(data).toEqual({ chat: { compare: { status: 'AHEAD', base: { id: 'm2' }, head: { id: 'm4' } } } });
    const deleted = '... on DeleteCheckpointPayload { deletedId }';
    expect(await mutate('deleteCheckpoint', { checkpointId }, deleted)).toMatchObject({ deletedId: checkpointId });
  });
});

const messages = [assistantMessage('m9')];

test.each<[field: string, input: Fields, name: string, id: string]>([
  ['switchBranch', {}, 'name', 'branchId'],
  ['renameBranch', { newName: 'trunk' }, 'name', 'branchId'],
  ['deleteBranch', {}, 'name', 'branchId'],
  ['restoreCheckpoint', {}, 'name', 'checkpointId'],
  ['deleteCheckpoint', {}, 'name', 'checkpointId'],
  ['saveMessages', { messages }, 'branch', 'branchId'],
  ['startDraft', {}, 'branch', 'branchId'],
])('%s refuses both, and an unknown id', async (field, input, name, id) => {
  expect(await mutate(field, { ...input, [name]: 'main', [id]: mainId })).toEqual({
    __typename: 'InvalidInputError',
    code: 'INVALID_INPUT',
    message: `${id} cannot be given together with ${name}`,
    path: id,
  });
  for (const unknown of ['', 'unknown', 'm1']) {
    const kind = id === 'branchId' ? 'Branch' : 'Checkpoint';
    expect(await mutate(field, { ...input, [id]: unknown })).toMatchObject({
      code: 'NOT_FOUND',
      message: `${kind} "${unknown}" not found in chat "c"`,
    });
  }
});

test.each<[field: string, input: Fields, id: string]>([
  ['switchBranch', {}, 'branchId'],
  ['renameBranch', { newName: 'trunk' }, 'branchId'],
  ['deleteBranch', { name: null }, 'branchId'],
  ['restoreCheckpoint', {}, 'checkpointId'],
  ['deleteCheckpoint', {}, 'checkpointId'],
])('%s requires one of them', async (field, input, id) => {
  expect(await mutate(field, input)).toMatchObject({ message: `One of name and ${id} is required`, path: 'name' });
});
