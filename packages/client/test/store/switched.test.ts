/** The state after a switch to a version whose thread was not read. */
import { expect, test } from 'vitest';
import { openTab, shown, startChat } from '../open-parley.js';

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
