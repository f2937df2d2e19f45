/** Files with ids of another user's chat reveal and change nothing of that chat. */
import { expect, test } from 'vitest';
import { transferChat } from '../../../../src/features/members/members.js';
import { saveMessages } from '../../../../src/conversation/saving/save.js';
import { atDatabase } from '../../../cli/database-content.js';
import { sampled } from '../../../support/effort.js';
import { expectSoundDatabase } from '../../../support/database/sound-database.js';
import { chainOf, exportTwice, forgedFields, forgedIds, idsIn, linesAt, renamed } from './forged-files.js';
import { ALICE, BOB, startTwoUsers, writeBeginning } from './two-users.js';

test.each(['a new chat', 'a chat that exists'] as const)(
  'a Parley file for %s with ids of another user in any field reveals nothing of that user',
  async (which) => {
    const server = await startTwoUsers();
    const { early, late } = await exportTwice();
    const values = [...Object.values(server.foreign), ALICE];
    const files = sampled([...forgedFields(late, values), ...forgedIds(late, values)]);
    const ownIds = idsIn(late);
    if (which === 'a chat that exists') {
      const { faults } = await server.importLines(files.flatMap((_, n) => renamed(early, ownIds, String(n))));
      expect(faults).toEqual([]);
    }
    const { chatIds, faults } = await server.importLines(
      files.flatMap(({ lines }, n) => renamed(lines, ownIds, String(n))),
    );
    // Texts may have any value, ids may not.
    expect(chatIds.length).toBeGreaterThan(0);
    expect(faults.length).toBeGreaterThan(0);
    for (const id of chatIds) await server.expectNothingOfAlice(id);
    await server.expectUnchanged();
  },
);

test('the log of a file can name only branches and checkpoints that it creates', async () => {
  const server = await startTwoUsers();
  const { branch, checkpoint } = server.foreign;
  const events = [
    { type: 'BranchActivated', payload: { branchId: branch } },
    { type: 'BranchRenamed', payload: { branchId: branch, previousName: 'a', name: 'b' } },
    {
      type: 'BranchHeadMoved',
      payload: { branchId: branch, previousHeadId: null, headId: 'own-2.2', firstSeq: 3, lastSeq: 2 },
    },
    { type: 'BranchDeleted', payload: { branchId: branch, name: 'a', headId: null } },
    { type: 'BranchCreated', payload: { branchId: branch, headId: null } },
    { type: 'CheckpointSaved', payload: { checkpointId: checkpoint, name: 'a', messageId: 'own-1.5' } },
  ];
  const files = events.map((event, n) => chainOf(`own.${n}`, [`own-1.${n}`, `own-2.${n}`], [event]));
  const { chatIds, faults } = await server.importLines(files.flat());
  expect(chatIds).toEqual([]);
  const unknown = 'names a branch that the chat does not have there';
  const lacking = ['branches', 'checkpoints'].map((rows) => `lacks ${rows} that its log creates`);
  const expected = [unknown, unknown, unknown, unknown, ...lacking];
  for (const [n, fault] of expected.entries()) expect(faults[n]).toContain(fault);
  expect(faults).toHaveLength(expected.length);
  await server.expectUnchanged();
});

test('a branch or checkpoint that exists only in the log of a file references no chat of another user', async () => {
  const server = await startTwoUsers();
  const { branch: branchId, checkpoint: checkpointId } = server.foreign;
  const events = [
    { type: 'BranchCreated', payload: { branchId, headId: null } },
    { type: 'BranchDeleted', payload: { branchId, name: 'a', headId: null } },
    { type: 'CheckpointSaved', payload: { checkpointId, name: 'a', messageId: 'own-1' } },
    { type: 'CheckpointDeleted', payload: { name: 'a' } },
  ];
  const { chatIds } = await server.importLines(chainOf('own', ['own-1', 'own-2'], events));
  expect(chatIds).toHaveLength(1);
  await server.expectNothingOfAlice(chatIds[0]!);
  await server.expectUnchanged();
  await expectSoundDatabase(server.databaseUrl);
});

test('a repeated import cannot replace a stored message by a message of another chat', async () => {
  const server = await startTwoUsers();
  await server.importLines(chainOf('own', ['own-1', 'own-2']));
  const { chatIds, faults } = await server.importLines(
    chainOf('own', [server.foreign.root, 'own-2', 'own-3', 'own-4']),
  );
  expect(chatIds).toEqual([]);
  expect(faults).toEqual([expect.stringContaining('message 1 is the first that differs')]);
  await server.expectNothingOfAlice('own');
  await server.expectUnchanged();
});

test('a repeated import by the owner recognises a chat that other users changed', async () => {
  const server = await startTwoUsers();
  await atDatabase(server.databaseUrl, async ({ store }) => {
    await writeBeginning(store, BOB, 'shared', 'Text');
    const admin = { userId: 'admin', isAdmin: true };
    await saveMessages(store, admin, {
      chatId: 'shared',
      messages: [{ name: 'user', content: { text: 'Of an admin' } }],
    });
    for (const userId of ['admin', BOB]) await transferChat(store, admin, { id: 'shared', userId });
  });
  expect(await server.importLines(await linesAt(server.databaseUrl, 'shared'))).toMatchObject({
    results: ['unchanged'],
  });
});

test('messages of two chats cannot reference each other', async () => {
  const server = await startTwoUsers();
  await server.importLines(['x', 'y'].flatMap((id) => chainOf(id, [`${id}-1`, `${id}-2`])));
  const { chatIds, faults } = await server.importLines([
    ...chainOf('x', ['y-4', 'x-2', 'x-3', 'x-4']),
    ...chainOf('y', ['x-4', 'y-2', 'y-3', 'y-4']),
  ]);
  expect(chatIds).toEqual([]);
  expect(faults).toHaveLength(2);
  for (const fault of faults) expect(fault).toContain('message 1 is the first that differs');
  const walk =
    '{ chats { edges { node { messages { edges { node { path(first: 1) { edges { node { id } } } } } } } } } }';
  expect(await server.ask(walk, {})).toContain('"x-1"');
});
