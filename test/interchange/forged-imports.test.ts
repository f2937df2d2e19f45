/** Files that name ids of another user's chat show nothing of that chat, and change nothing in it. */
import { expect, test } from 'vitest';
import { isThorough } from '../support/effort.js';
import { chainOf, exportTwice, forgedFields, forgedIds, idsIn, renamed } from './forged-files.js';
import { ALICE, startTwoUsers } from './two-users.js';

/** All of a list, or where there is no time some of it, spread evenly. */
function sampled<T>(list: readonly T[]): readonly T[] {
  const SAMPLES = 20;
  return isThorough ? list : list.filter((_, n) => n % Math.ceil(list.length / SAMPLES) === 0);
}

test.each(['a new chat', 'a chat that exists'] as const)(
  'a file of Parley for %s shows nothing of others, whatever field has their ids',
  async (which) => {
    const server = await startTwoUsers();
    const { early, late } = await exportTwice();
    const values = [...Object.values(server.foreign), ALICE];
    const files = sampled([...forgedFields(late, values), ...forgedIds(late, values)]);
    const ownIds = idsIn(late);
    if (which === 'a chat that exists') {
      const { faults } = await server.bring(files.flatMap((_, n) => renamed(early, ownIds, String(n))));
      expect(faults).toEqual([]);
    }
    const { chatIds, faults } = await server.bring(files.flatMap(({ lines }, n) => renamed(lines, ownIds, String(n))));
    // Texts may have any value, ids may not.
    expect(chatIds.length).toBeGreaterThan(files.length / 5);
    expect(faults.length).toBeGreaterThan(files.length / 5);
    for (const id of chatIds) await server.expectNothingOfAlice(id);
    await server.expectUnchanged();
  },
);

test('the log of a file names branches and checkpoints that it creates', async () => {
  const server = await startTwoUsers();
  const { branch, checkpoint } = server.foreign;
  const events = [
    { type: 'BranchActivated', payload: { branchId: branch } },
    { type: 'BranchRenamed', payload: { branchId: branch, previousName: 'a', name: 'b' } },
    {
      type: 'BranchHeadMoved',
      payload: { branchId: branch, previousHeadId: null, headId: 'own-2', firstSeq: 3, lastSeq: 2 },
    },
    { type: 'BranchDeleted', payload: { branchId: branch, name: 'a', headId: null } },
    { type: 'BranchCreated', payload: { branchId: branch, headId: null } },
    { type: 'CheckpointSaved', payload: { checkpointId: checkpoint, name: 'a', messageId: 'own-1' } },
  ];
  for (const event of events) {
    const { chatIds, faults } = await server.bring(chainOf('own', ['own-1', 'own-2'], [event]));
    expect([event.type, chatIds]).toEqual([event.type, []]);
    expect(faults).toEqual([
      expect.stringMatching(/does not have there|lacks (branches|checkpoints) that its log creates/),
    ]);
  }
  await server.expectUnchanged();
});

test('a message of another chat cannot stand in place of a stored one when a chat is imported again', async () => {
  const server = await startTwoUsers();
  await server.bring(chainOf('own', ['own-1', 'own-2']));
  const { chatIds, faults } = await server.bring(chainOf('own', [server.foreign.root, 'own-2', 'own-3', 'own-4']));
  expect(chatIds).toEqual([]);
  expect(faults).toEqual([expect.stringContaining('message 1 is the first that differs')]);
  await server.expectNothingOfAlice('own');
  await server.expectUnchanged();
});

test('messages of two chats cannot point at each other', async () => {
  const server = await startTwoUsers();
  for (const id of ['x', 'y']) await server.bring(chainOf(id, [`${id}-1`, `${id}-2`]));
  for (const [id, other] of [
    ['x', 'y'],
    ['y', 'x'],
  ] as const) {
    const { chatIds, faults } = await server.bring(chainOf(id, [`${other}-4`, `${id}-2`, `${id}-3`, `${id}-4`]));
    expect(chatIds).toEqual([]);
    expect(faults).toEqual([expect.stringContaining('message 1 is the first that differs')]);
  }
  const walk =
    '{ chats { edges { node { messages { edges { node { path(first: 1) { edges { node { id } } } } } } } } } }';
  expect(await server.ask(walk, {})).toContain('"x-1"');
});
