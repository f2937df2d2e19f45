/** The branch and the parent of a draft. */
import { describe, expect, test } from 'vitest';
import { save, userMessage } from '../../support/chats/operations.js';
import { openParley, type Parley } from '../../support/server/parley.js';
import { mutate, chatOfThree, append, draftsOf, branchesOf, change } from './draft-requests.js';

describe('The place of a draft', () => {
  test('with REJECT it stays a draft', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd', onConflict: 'REJECT' });
    await append(parley, 0, 'x');
    await save(parley, { chatId: 'c', messages: [userMessage('e')] });
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({ __typename: 'HeadConflictError' });
    expect(await draftsOf(parley)).toMatchObject([{ id: 'd', text: 'x' }]);
  });

  test('expectedHead is checked at the start', async () => {
    const parley = await chatOfThree();
    expect(
      await mutate(parley, 'startDraft', { id: 'd', expectedHead: { id: 'b' }, onConflict: 'REJECT' }),
    ).toMatchObject({
      __typename: 'HeadConflictError',
    });
    expect(await mutate(parley, 'startDraft', { id: 'd', expectedHead: { id: 'b' } })).toMatchObject({
      draft: { parent: { id: 'b' } },
    });
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({
      branched: true,
      messages: [{ parentId: 'b' }],
    });
  });

  test('at adds another answer', async () => {
    const parley = await chatOfThree();
    expect(await mutate(parley, 'startDraft', { id: 'd', at: { message: 'a' } })).toMatchObject({
      draft: { parent: { id: 'a' } },
    });
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({
      branched: true,
      messages: [{ parentId: 'a' }],
    });
    expect(await mutate(parley, 'startDraft', { at: { message: 'a' }, expectedHead: { id: 'b' } })).toMatchObject({
      path: 'at',
    });
    expect(await mutate(parley, 'startDraft', { at: { message: 'unknown' } })).toMatchObject({
      message: 'Message "unknown" not found',
    });
  });

  test('a deleted branch is replaced by a new one', async () => {
    const parley = await chatOfThree();
    await parley.ask(
      'mutation { rewind(input: { chatId: "c", at: { message: "b" }, branchName: "side" }) { __typename } }',
    );
    await mutate(parley, 'startDraft', { id: 'd', branch: 'side' });
    await parley.ask('mutation { switchBranch(input: { chatId: "c", name: "main" }) { __typename } }');
    await parley.ask('mutation { deleteBranch(input: { chatId: "c", name: "side" }) { __typename } }');
    const { data } = await parley.ask('{ chat(id: "c") { drafts { edges { node { branch { name } } } } } }');
    expect(data).toEqual({ chat: { drafts: { edges: [{ node: { branch: { name: 'main' } } }] } } });
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({
      branched: true,
      messages: [{ parentId: 'b' }],
    });
  });
});

describe('A draft with a parent that is not the head', () => {
  const START = { type: 'start', messageId: 'd' };
  const begin = async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd', at: { message: 'b' } });
    return parley;
  };

  test('moves the active branch with its first content', async () => {
    const parley = await begin();
    expect(await append(parley, 0, START, '', { type: 'text-start', id: '0' })).toMatchObject({
      draft: { branch: { name: 'main' }, length: 3 },
      previousActiveBranch: null,
    });
    expect(await branchesOf(parley)).toEqual(['main* c']);
    const version = async () => (await parley.ask('{ chat(id: "c") { version } }')).data;
    const first = await append(parley, 3, { type: 'text-delta', id: '0', delta: 'x' });
    expect(first).toMatchObject({
      draft: { branch: { name: 'main-v2' }, parent: { id: 'b' }, length: 4, text: 'x' },
      previousActiveBranch: { name: 'main', isActive: false, head: { id: 'c' } },
    });
    expect(await branchesOf(parley)).toEqual(['main c', 'main-v2* b']);
    const before = await version();
    expect(await append(parley, 3, { type: 'text-delta', id: '0', delta: 'x' })).toEqual({
      ...first,
      previousActiveBranch: null,
    });
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

  test('moves it at its end without earlier content', async () => {
    const parley = await begin();
    expect(await mutate(parley, 'finishDraft', { id: 'd', content: { text: 'x' } })).toMatchObject({
      branched: true,
      branch: { name: 'main-v2', isActive: true },
    });
  });

  test.each([
    ['switched', (parley: Parley) => change(parley, 'rewind', 'at: { message: "a" }, branchName: "side"'), ['side* a']],
    ['grown', (parley: Parley) => save(parley, { chatId: 'c', messages: [userMessage('e')] }), ['main* e']],
  ])('leaves an active branch that was %s before its first content', async (_how, navigate, active) => {
    const parley = await begin();
    await navigate(parley);
    expect(await append(parley, 0, 'x')).toMatchObject({ previousActiveBranch: null });
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

  test('leaves an active branch that was switched before its end without content', async () => {
    const parley = await begin();
    await change(parley, 'rewind', 'at: { message: "a" }, branchName: "side"');
    await mutate(parley, 'finishDraft', { id: 'd', content: { text: 'x' } });
    expect(await branchesOf(parley)).toEqual(['main c', 'main-v2 d', 'side* a']);
  });

  test('is saved on its branch and moves nothing after a switch', async () => {
    const parley = await begin();
    await append(parley, 0, 'x');
    await change(parley, 'switchBranch', 'name: "main"');
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({
      branched: true,
      branch: { name: 'main-v2', isActive: false, messageCount: 3 },
    });
    expect(await branchesOf(parley)).toEqual(['main* c', 'main-v2 d']);
  });

  test('gets another, inactive branch when its own has grown', async () => {
    const parley = await begin();
    await append(parley, 0, 'x');
    await save(parley, { chatId: 'c', messages: [userMessage('e')] });
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({ branch: { isActive: false } });
    expect(await branchesOf(parley)).toEqual(['main c', 'main-v2* e', 'main-v2-v2 d']);
  });

  test('moves the active branch only for the first of two drafts', async () => {
    const parley = await begin();
    await mutate(parley, 'startDraft', { id: 'e', at: { message: 'b' } });
    await append(parley, 0, 'x');
    await mutate(parley, 'appendToDraft', { id: 'e', offset: 0, chunks: ['y'] });
    expect(await branchesOf(parley)).toEqual(['main c', 'main-v2* b']);
    await mutate(parley, 'finishDraft', { id: 'e' });
    await mutate(parley, 'finishDraft', { id: 'd' });
    expect(await branchesOf(parley)).toEqual(['main c', 'main-v2* d', 'main-v3 e']);
  });

  test('has one branch after concurrent first appends on two servers', async () => {
    const parley = await begin();
    const second = await openParley({ databaseUrl: parley.databaseUrl });
    const answers = await Promise.all([parley, second, parley, second].map((each) => append(each, 0, 'x', 'y')));
    const draft = { branch: { name: 'main-v2' }, length: 2, text: 'xy' };
    expect(answers).toMatchObject(answers.map(() => ({ draft })));
    expect(answers.filter(({ previousActiveBranch }) => previousActiveBranch !== null)).toHaveLength(1);
    expect(await branchesOf(parley)).toEqual(['main c', 'main-v2* b']);
  });

  test('is a normal answer when its parent is the head of its branch', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd', at: { message: 'c' } });
    expect(await append(parley, 0, 'x')).toMatchObject({ draft: { branch: { name: 'main' } } });
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({
      branched: false,
      branch: { name: 'main', isActive: true },
    });
  });

  test('moves the active branch when its first branch was deleted', async () => {
    const parley = await chatOfThree();
    await change(parley, 'btw', 'at: { message: "b" }, branchName: "side"');
    await mutate(parley, 'startDraft', { id: 'd', branch: 'side', at: { message: 'a' } });
    await change(parley, 'deleteBranch', 'name: "side"');
    expect(await append(parley, 0, 'x')).toMatchObject({ draft: { branch: { name: 'main-v2' } } });
    expect(await branchesOf(parley)).toEqual(['main c', 'main-v2* a']);
  });

  test('leaves no trace when discarded before its first content', async () => {
    const parley = await begin();
    await append(parley, 0, START, { type: 'error', errorText: 'no model' });
    await mutate(parley, 'discardDraft', { id: 'd' });
    expect(await branchesOf(parley)).toEqual(['main* c']);
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
