/** The state after a change whose events arrive late. */
import { expect, test } from 'vitest';
import { openTab, shown, startChat, until } from '../open-parley.js';

test('switchToSibling resolves after the state shows the version', async () => {
  const server = await startChat('q', 'a', 'more');
  const writer = openTab(server).thread('c');
  await writer.open();
  await writer.edit('q', 'q2', { id: 'q2' });
  const tab = openTab(server);
  const reader = tab.thread('c');
  await reader.open();
  expect(shown(reader)).toBe('q2');
  // Its events arrive late.
  tab.hold();
  setTimeout(() => tab.release(), 200);
  expect(await reader.switchToSibling('q')).toMatchObject({ ok: true });
  expect(shown(reader)).toBe('q a more');
});

test('renameBranch resolves after the state has the new name', async () => {
  const tab = openTab(await startChat('q'));
  const store = tab.thread('c');
  await store.open();
  tab.hold();
  expect(await store.renameBranch('main', 'plans')).toMatchObject({ ok: true });
  const { branches, branch } = store.getState();
  expect([branches.map(({ name }) => name), branch?.name, branch?.label]).toEqual([['plans'], 'plans', 'plans']);
  tab.release();
});

test('the label of a branch counts the repeated endings of its name', async () => {
  const tab = openTab(await startChat('1'));
  const store = tab.thread('c');
  await store.open();
  for (const n of [2, 3, 4]) await store.edit(String(n - 1), String(n), { id: String(n) });
  await until(store, '4');
  const labels = () => store.getState().branches.map(({ name, label }) => [name, label]);
  await expect.poll(labels).toEqual([
    ['main', 'main'],
    ['main-v2', 'main-v2'],
    ['main-v2-v2', 'main-v2×2'],
    ['main-v2-v2-v2', 'main-v2×3'],
  ]);
  const again = tab.thread('c', { pageSize: 10 });
  await again.open();
  expect(again.getState().branch?.label).toBe('main-v2×3');
});

test('showMessage shows the branch of a head, and the message after it stays on that branch', async () => {
  const server = await startChat('one', 'two', 'three');
  const { ask } = server;
  await ask('mutation { rewind(input: { chatId: "c", at: { message: "one" }, branchName: "short" }) { __typename } }');
  await ask('mutation { rewind(input: { chatId: "c", at: { start: true }, branchName: "new" }) { __typename } }');
  const store = openTab(server).thread('c');
  await store.open();
  const show = async (id: string) => {
    expect(await store.showMessage(id)).toMatchObject({ ok: true });
    return [store.getState().branch?.name, shown(store)];
  };
  expect(await show('one')).toEqual(['short', 'one']);
  // The newest thread through a message that is no head.
  expect(await show('two')).toEqual(['main', 'one two three']);
  expect(await store.send('four')).toMatchObject({ ok: true });
  expect(store.getState().branches.map(({ name }) => name)).toEqual(['main', 'short', 'new']);
  expect(store.getState().branch).toMatchObject({ name: 'main', isActive: false });
});
