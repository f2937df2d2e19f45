/** The state of a store, and of two stores of one chat. */
import { expect, test } from 'vitest';
import { RefusedError } from '../../src/client.js';
import { openTab, sendTexts, shown, startChat, until } from '../open-parley.js';

test('opens a chat of any length with one page and two requests', async () => {
  const texts = Array.from({ length: 1_001 }, (_, n) => `m${n}`);
  const server = await startChat(...texts);
  const tab = openTab(server);
  const store = tab.thread('c');
  await store.open();
  await store.when(({ status }) => status === 'live');
  expect(tab.requests).toEqual(['OpenThread', 'socket']);
  expect(shown(store)).toBe(texts.slice(-50).join(' '));
  expect(store.getState()).toMatchObject({ hasOlder: true, hasNewer: false, isLoading: false });

  await store.loadOlder();
  expect(shown(store)).toBe(texts.slice(-100).join(' '));
  expect(tab.requests).toEqual(['OpenThread', 'socket', 'ReadPath']);
  await store.loadAll();
  expect(store.getState().allMessages).toHaveLength(1_001);
  expect(tab.requests.slice(3)).toEqual(['ReadGraph', 'ReadGraph']);
});

test('an edit adds a sibling; arrows lead from version to version in both tabs', async () => {
  const server = await startChat('q', 'a');
  const [here, there] = [openTab(server).thread('c'), openTab(server).thread('c')];
  await Promise.all([here.open(), there.open()]);
  const edit = here.edit('q', 'q2', { id: 'q2' });
  expect(shown(here)).toBe('q2');
  expect(here.getMessageSiblingInfo('q2')).toMatchObject({ siblingIndex: 1, siblingCount: 2, previousId: 'q' });
  expect(await edit).toMatchObject({ ok: true });
  await until(there, 'q2');
  expect(there.getMessageSiblingInfo('q2')).toMatchObject({
    siblingIndex: 1,
    siblingCount: 2,
    previousId: 'q',
    nextId: null,
  });
  expect(there.getMessageSiblingInfo('q')).toMatchObject({ siblingIndex: 0, siblingCount: 2, nextId: 'q2' });
  expect(there.getState().threadEpoch).toBe(1);

  const arrow = there.switchToSibling('q');
  expect(shown(there)).toBe('q a');
  expect(await arrow).toEqual({ ok: true, value: undefined });
  await until(here, 'q a');
  await until(there, 'q a');
  expect(here.getState().branch?.name).toBe('main');

  await here.regenerate('a', 'a2', { id: 'a2' });
  await until(there, 'q a2');
  await here.regenerate('q', 'q3', { id: 'q3' });
  await until(there, 'q3');
  expect(there.getMessageSiblingInfo('q3')).toMatchObject({ siblingIndex: 2, siblingCount: 3 });
  expect(
    there
      .getState()
      .childrenMap.get(null)
      ?.map(({ id }) => id),
  ).toEqual(['q', 'q2', 'q3']);
  // Each version leads to its newest leaf.
  await here.switchToSibling('q');
  await until(there, 'q a2');
  await there.switchToSibling(there.getMessageSiblingInfo('a2')!.previousId!);
  await until(here, 'q a');
  await here.switchToSibling(here.getMessageSiblingInfo('a')!.nextId!);
  await until(there, 'q a2');
});

test('an arrow can change the view of one tab only', async () => {
  const server = await startChat('q', 'a');
  const here = openTab(server).thread('c', { switching: 'local' });
  await here.open();
  await here.edit('q', 'q2', { id: 'q2' });
  await here.switchToSibling('q');
  expect(shown(here)).toBe('q a');
  expect(here.getState().branch).toBeNull();
  // The other branch grows.
  await sendTexts(server.tab, 'elsewhere');
  await here.when(({ allMessages }) => allMessages.length === 4);
  expect(shown(here)).toBe('q a');
  // A message in the local view starts a branch.
  expect(await here.send('more')).toMatchObject({ ok: true });
  await until(here, 'q a more');
  expect(here.getState().branch?.isActive).toBe(true);
});

test('a tab that shows another thread follows the active branch after it has moved it', async () => {
  const server = await startChat('q', 'a');
  const here = openTab(server).thread('c', { switching: 'local' });
  await here.open();
  await here.edit('q', 'q2', { id: 'q2' });
  await here.switchToSibling('q');
  expect(here.getState().branch).toBeNull();
  expect(await here.rewind('q')).toMatchObject({ ok: true });
  expect(here.getState().branch?.isActive).toBe(true);
  await sendTexts(server.tab, 'later');
  await until(here, 'q later');
});

test('rewind, checkpoints and branches are shown immediately, and reverted when they are refused', async () => {
  const server = await startChat('one', 'two', 'three');
  const here = openTab(server).thread('c');
  await here.open();
  const mark = here.createCheckpoint('there', 'two');
  expect(here.getState().checkpoints).toMatchObject([{ name: 'there', messageId: 'two' }]);
  expect(await mark).toMatchObject({ ok: true });
  const back = here.rewind('one');
  expect(shown(here)).toBe('one');
  await back;
  expect(await here.restoreCheckpoint('there')).toMatchObject({ ok: true });
  await until(here, 'one two');
  expect(await here.renameBranch('main', 'first')).toMatchObject({ ok: true });
  expect(await here.switchBranch('first')).toMatchObject({ ok: true });
  await until(here, 'one two three');
  // The thread and the new name are shown with the answers, and the branch of the checkpoint with its event.
  await here.when(({ branches }) => branches.length === 3);
  expect(here.getState().branches.map(({ name }) => name)).toEqual(['first', 'main-v2', 'main-v2-v2']);
  await here.deleteBranch('main-v2');
  await here.when(({ branches }) => branches.length === 2);

  const refusals = [here.createCheckpoint('', 'two'), here.rewind('nobody'), here.send('', { id: 'two', name: '' })];
  expect(here.getState().checkpoints).toHaveLength(2);
  expect((await Promise.all(refusals)).map((outcome) => (outcome.ok ? '' : outcome.error.code))).toEqual([
    'INVALID_INPUT',
    'NOT_FOUND',
    'INVALID_INPUT',
  ]);
  expect(here.getState().checkpoints).toHaveLength(1);
  expect(shown(here)).toBe('one two three');
  await here.deleteCheckpoint('there');
  expect(here.getState().checkpoints).toEqual([]);
  const toStart = here.rewind(null);
  expect(shown(here)).toBe('');
  expect(await toStart).toMatchObject({ ok: true });
});

test('all invalid fields of a write are in its error', async () => {
  const here = openTab(await startChat('q')).thread('c');
  await here.open();
  const outcome = await here.send('Porto?', { id: 'x'.repeat(300), name: '' });
  const error = outcome.ok ? undefined : outcome.error;
  expect(error).toBeInstanceOf(RefusedError);
  const { message, path, problems } = error as RefusedError;
  expect(problems).toEqual([
    { path: ['messages', '0', 'id'], message },
    { path: ['messages', '0', 'name'], message: expect.stringContaining('name') as string },
  ]);
  expect(path).toBe('messages.0.id');
});

test('an empty message is refused before it is shown, by every way to send it', async () => {
  const server = await startChat('q', 'a');
  const tab = openTab(server);
  const here = tab.thread('c');
  const { thread } = await here.open();
  const before = tab.requests.length;
  const writes = [
    here.send(''),
    here.send({ text: '' }),
    here.edit('q', ''),
    here.regenerate('a', ''),
    here.regenerate('q', ''),
    here.ask(''),
  ];
  expect(here.getState().thread).toBe(thread);
  for (const outcome of await Promise.all(writes)) {
    expect(outcome).toMatchObject({ ok: false, error: { code: 'INVALID_INPUT', message: 'The message is empty' } });
  }
  expect(here.getState()).toMatchObject({ thread, drafts: [] });
  expect(tab.requests.slice(before)).not.toContain('SaveMessages');
});

test('a head conflict offers choices', async () => {
  const server = await startChat('hello');
  const tab = openTab(server);
  const here = tab.thread('c');
  await here.open();
  // Another tab saves first, and this tab does not receive the event.
  tab.hold();
  await sendTexts(server.tab, 'theirs');
  const mine = here.send('mine');
  const more = here.send('more');
  await here.when(({ conflicts }) => conflicts[0]?.messages.length === 2);
  const { conflicts } = here.getState();
  expect(shown(here)).toBe('hello');
  tab.release();
  expect(conflicts).toMatchObject([{ choices: ['append', 'fork', 'discard'], newerMessages: [{ text: 'theirs' }] }]);
  await until(here, 'hello theirs');
  const resolved = conflicts[0]!.resolve('append');
  expect(shown(here)).toBe('hello theirs mine more');
  expect(here.getState().conflicts).toEqual([]);
  expect(await resolved).toMatchObject({ ok: true });
  expect(await mine).toEqual(await resolved);
  expect(await more).toEqual(await resolved);
  await until(here, 'hello theirs mine more');
});

test('messages after a conflict can be saved on a new branch, or dropped', async () => {
  const server = await startChat('hello');
  const tab = openTab(server);
  const here = tab.thread('c');
  await here.open();
  tab.hold();
  await sendTexts(server.tab, 'theirs');
  const dropped = here.send('dropped');
  const [first] = (await here.when(({ conflicts }) => conflicts.length === 1)).conflicts;
  await first!.resolve('discard');
  expect(await dropped).toMatchObject({ ok: false, error: { code: 'HEAD_CONFLICT' } });
  const mine = here.send('mine');
  const [second] = (await here.when(({ conflicts }) => conflicts.length === 1)).conflicts;
  tab.release();
  expect(await second!.resolve('fork')).toMatchObject({ ok: true });
  expect(await mine).toMatchObject({ ok: true });
  await until(here, 'hello mine');
  expect(here.getMessageSiblingInfo('theirs')?.siblingCount).toBe(2);
});

test('the option onConflict resolves conflicts, with the messages that were sent after the first', async () => {
  const server = await startChat('hello');
  const tab = openTab(server);
  const here = tab.thread('c', { onConflict: 'append' });
  await here.open();
  tab.hold();
  await sendTexts(server.tab, 'theirs');
  const [one, two] = await Promise.all([here.send('one'), here.send('two')]);
  expect([one, two]).toMatchObject([{ ok: true }, { ok: true }]);
  tab.release();
  await until(here, 'hello theirs one two');
  expect(here.getState().conflicts).toEqual([]);
});

test('a conflict without newer messages does not offer to append', async () => {
  const server = await startChat('one', 'two');
  const tab = openTab(server);
  const here = tab.thread('c');
  await here.open();
  tab.hold();
  await server.ask('mutation { rewind(input: { chatId: "c", at: { message: "one" } }) { __typename } }');
  void here.send('mine');
  const [conflict] = (await here.when(({ conflicts }) => conflicts.length === 1)).conflicts;
  tab.release();
  expect(conflict).toMatchObject({ choices: ['fork', 'discard'], newerMessages: [] });
  // Another refusal than a conflict is the outcome.
  await server.ask('mutation { deleteChat(input: { chatId: "c" }) { __typename } }');
  expect(await conflict!.resolve('fork')).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
});

test.each(['send', 'expect'] as const)(
  'shows the end of the thread again for a message that follows a jump: %s',
  async (way) => {
    const server = await startChat(...Array.from({ length: 60 }, (_, n) => `m${n}`));
    const here = openTab(server).thread('c', { pageSize: 10 });
    await here.open();
    await here.showMessage('m20');
    expect(here.getState().hasNewer).toBe(true);
    if (way === 'send') expect(await here.send('mine')).toMatchObject({ ok: true });
    else here.expect('mine', { id: 'mine', parentId: 'm59' });
    expect(here.getState().hasNewer).toBe(false);
    await here.when(() => shown(here).endsWith('m58 m59 mine'));
  },
);

test('jumps to a message far above, and pages down from there', async () => {
  const texts = Array.from({ length: 60 }, (_, n) => `m${n}`);
  const server = await startChat(...texts);
  const here = openTab(server).thread('c', { pageSize: 10 });
  await here.open();
  expect(await here.showMessage('m20')).toMatchObject({ ok: true });
  expect(shown(here)).toBe(texts.slice(15, 25).join(' '));
  expect(here.getState()).toMatchObject({ hasOlder: true, hasNewer: true, leafId: 'm59' });
  await here.loadNewer();
  expect(shown(here)).toBe(texts.slice(15, 35).join(' '));
  await sendTexts(server.tab, 'new');
  await here.when(({ leafId }) => leafId === 'new');
  expect(here.getState().hasNewer).toBe(true);
  await here.loadOlder();
  expect(shown(here)).toBe(texts.slice(5, 35).join(' '));
  here.showEnd();
  expect(here.getState().hasNewer).toBe(false);
  expect(shown(here).endsWith('m58 m59 new')).toBe(true);
  expect(here.getState().threadEpoch).toBe(0);
  await here.loadAll();
  expect(here.getState().allMessages.map(({ text }) => text)).toEqual([...texts, 'new']);
  expect(await here.showMessage('nobody')).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
});
