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
