/** The branch and the parent of a draft. */
import { describe, expect, test } from 'vitest';
import { save, userMessage } from '../../support/chats/operations.js';
import { openParley, type Parley } from '../../support/server/parley.js';
import { mutate, chatOfThree, append, branchesOf, change } from './draft-requests.js';

describe('The place of a draft', () => {
  test('parentId adds another answer', async () => {
    const parley = await chatOfThree();
    expect(await mutate(parley, 'startDraft', { id: 'd', parentId: 'a' })).toMatchObject({
      draft: { parent: { id: 'a' } },
    });
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({
      branched: true,
      messages: [{ parentId: 'a' }],
    });
    expect(await mutate(parley, 'startDraft', { parentId: 'a', expectedHeadId: 'b' })).toMatchObject({
      path: 'parentId',
    });
    expect(await mutate(parley, 'startDraft', { parentId: 'nobody' })).toMatchObject({
      message: 'Message "nobody" not found',
    });
  });
});

describe('A draft with a parent that is not the head', () => {
  const START = { type: 'start', messageId: 'd' };
  const begin = async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd', parentId: 'b' });
    return parley;
  };

  test('moves the active branch with its first content', async () => {
    const parley = await begin();
    expect(await append(parley, 0, START, '', { type: 'text-start', id: '0' })).toMatchObject({
      draft: { branch: { name: 'main' }, length: 3 },
    });
    expect(await branchesOf(parley)).toEqual(['main* c']);
    const version = async () => (await parley.ask('{ chat(id: "c") { version } }')).data;
    const first = await append(parley, 3, { type: 'text-delta', id: '0', delta: 'x' });
    expect(first).toMatchObject({ draft: { branch: { name: 'main-v2' }, parent: { id: 'b' }, length: 4, text: 'x' } });
    expect(await branchesOf(parley)).toEqual(['main c', 'main-v2* b']);
    const before = await version();
    expect(await append(parley, 3, { type: 'text-delta', id: '0', delta: 'x' })).toEqual(first);
    await append(parley, 4, 'y');
    expect(await version()).toEqual(before);
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({
      branched: true,
      branch: { name: 'main-v2', isActive: true },
      messages: [{ id: 'd', parentId: 'b', data: { parts: [{ text: 'xy' }] } }],
    });
    expect(await branchesOf(parley)).toEqual(['main c', 'main-v2* d']);
  });

  test.each<[content: unknown, moves: boolean]>([
    ['x', true],
    ['', false],
    [{ type: 'tool-input-start', toolCallId: 't' }, true],
    [{ data: 'of a protocol of its own' }, true],
    [{ type: 'finish' }, false],
    [{ type: 'reasoning-start', id: '0' }, false],
    [{ type: 'error', errorText: 'no model' }, false],
    [1, false],
  ])('with the content %j: %j', async (content, moves) => {
    const parley = await begin();
    await append(parley, 0, content);
    expect(await branchesOf(parley)).toEqual(moves ? ['main c', 'main-v2* b'] : ['main* c']);
  });

  test.each([
    ['switched', (parley: Parley) => change(parley, 'rewind', 'messageId: "a", branchName: "side"'), ['side* a']],
    ['grown', (parley: Parley) => save(parley, { chatId: 'c', messages: [userMessage('e')] }), ['main* e']],
  ])('leaves an active branch that was %s before its first content', async (_how, navigate, active) => {
    const parley = await begin();
    await navigate(parley);
    await append(parley, 0, 'x');
    const branches = await branchesOf(parley);
    expect(branches).toEqual(expect.arrayContaining(active));
    // Also after a return to the branch: the decision is made once.
    await change(parley, 'switchBranch', 'name: "main"');
    const saved = await mutate(parley, 'finishDraft', { id: 'd' });
    const own = saved['branch'] as { name: string };
    expect(saved).toMatchObject({ branched: true, branch: { isActive: false }, messages: [{ parentId: 'b' }] });
    expect((await branchesOf(parley)).filter((branch) => !branches.includes(branch))).toContain(`${own.name} d`);
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({ branch: { name: own.name } });
  });

  test('has one branch after concurrent first appends on two servers', async () => {
    const parley = await begin();
    const second = await openParley({ databaseUrl: parley.databaseUrl });
    const answers = await Promise.all([parley, second, parley, second].map((each) => append(each, 0, 'x', 'y')));
    const draft = { branch: { name: 'main-v2' }, length: 2, text: 'xy' };
    expect(answers).toMatchObject(answers.map(() => ({ draft })));
    expect(await branchesOf(parley)).toEqual(['main c', 'main-v2* b']);
  });

  test('returns to the previous branch and deletes its own when discarded later', async () => {
    const parley = await begin();
    await append(parley, 0, 'x');
    for (let n = 0; n < 2; n++) await mutate(parley, 'discardDraft', { id: 'd' });
    expect(await branchesOf(parley)).toEqual(['main* c']);
    const { data } = await parley.ask('{ chat(id: "c") { events(last: 4) { edges { node { __typename } } } } }');
    const types = ['BranchCreated', 'BranchActivated', 'BranchActivated', 'BranchDeleted'];
    expect(data).toEqual({
      chat: { events: { edges: types.map((type) => ({ node: { __typename: type } })) } },
    });
  });

  test.each<[what: string, work: (parley: Parley) => Promise<unknown>, left: string[]]>([
    ['the active branch', (parley) => change(parley, 'switchBranch', 'name: "main"'), ['main* c', 'main-v2 b']],
    [
      'its own branch',
      (parley) => save(parley, { chatId: 'c', messages: [userMessage('e')] }),
      ['main c', 'main-v2* e'],
    ],
    [
      'the previous branch',
      (parley) =>
        mutate(parley, 'saveMessages', {
          branch: 'main',
          messages: [{ id: 'e', name: 'user', content: { text: 'e' } }],
        }),
      ['main e', 'main-v2* b'],
    ],
    ['the drafts of its branch', (parley) => mutate(parley, 'startDraft', { id: 'e' }), ['main c', 'main-v2* b']],
  ])('discarded after a change of %s, leaves the branches', async (_what, work, left) => {
    const parley = await begin();
    await append(parley, 0, 'x');
    await work(parley);
    await mutate(parley, 'discardDraft', { id: 'd' });
    expect(await branchesOf(parley)).toEqual(left);
  });
});
