/** Another answer to the same question, in the page that requests it and in others. */
import { expect, test } from 'vitest';
import { openTab, shown, startChat, until, valueOf } from '../open-parley.js';

test('every tab counts another answer as a version while it grows, and any tab stops it', async () => {
  const server = await startChat('q', 'a');
  const [here, there] = [openTab(server).thread('c'), openTab(server).thread('c')];
  await Promise.all([here.open(), there.open()]);
  const writing = here.write({ parentId: 'q' });
  const { thread } = here.getState();
  expect(thread).toMatchObject([{ id: 'q' }, { text: '', status: 'streaming' }]);
  const writer = valueOf(await writing);
  expect(here.getMessageSiblingInfo(writer.id)).toMatchObject({ siblingIndex: 1, siblingCount: 2, previousId: 'a' });
  // Without content it is not an answer yet: other pages stay at the old answer.
  await there.when(({ drafts }) => drafts.length === 1);
  expect(shown(there)).toBe('q a');
  expect(there.getMessageSiblingInfo('a')).toMatchObject({ siblingIndex: 0, siblingCount: 2, nextId: writer.id });
  writer.append('another');
  expect(shown(here)).toBe('q another');
  await there.when(() => shown(there) === 'q another');
  for (const store of [here, there]) {
    const info = store.getMessageSiblingInfo(writer.id);
    expect(info).toMatchObject({ siblingIndex: 1, siblingCount: 2, previousId: 'a', nextId: null });
    expect(store.getMessageSiblingInfo(writer.id)).toBe(info);
    expect(info?.siblings.map(({ id }) => id)).toEqual(['a', writer.id]);
  }
  expect(await there.stop()).toEqual({ ok: true, value: [writer.id] });
  await here.when(({ thread: now }) => now.at(-1)?.status === 'stopping');
  writer.append(' one');
  await new Promise((resolve) => writer.signal.addEventListener('abort', resolve));
  await writer.finish();
  await until(here, 'q another one');
  await until(there, 'q another one');
  for (const store of [here, there]) {
    await store.when(({ drafts }) => drafts.length === 0);
    expect(store.getState()).toMatchObject({ branch: { isActive: true, headId: writer.id } });
    expect(store.getMessageSiblingInfo(writer.id)).toMatchObject({ siblingIndex: 1, siblingCount: 2, previousId: 'a' });
  }
  expect(await there.stop(writer.id)).toEqual({ ok: true, value: [] });
  expect(await there.stop()).toEqual({ ok: true, value: [] });
});

test('arrows lead from a growing version to another one and back, in every tab', async () => {
  const server = await startChat('q', 'a');
  const [here, there] = [openTab(server).thread('c'), openTab(server).thread('c')];
  await Promise.all([here.open(), there.open()]);
  const writer = valueOf(await here.write({ parentId: 'q' }));
  writer.append('b');
  await there.when(() => shown(there) === 'q b');
  expect(await there.switchToSibling('a')).toMatchObject({ ok: true });
  for (const store of [here, there]) await until(store, 'q a');
  writer.append(' and more');
  await there.when(({ drafts }) => drafts[0]?.chunks.length === 2);
  for (const store of [here, there]) expect(shown(store)).toBe('q a');
  expect(await there.stop()).toEqual({ ok: true, value: [writer.id] });
  await here.when(({ drafts }) => drafts[0]?.message.status === 'stopping');
  expect(await here.switchToSibling(writer.id)).toMatchObject({ ok: true });
  for (const store of [here, there]) await until(store, 'q b and more');
  expect(await here.switchToSibling('a')).toMatchObject({ ok: true });
  await until(there, 'q a');
  // Every page has left the answer: when it ends, the pages stay where they are.
  await writer.finish();
  for (const store of [here, there]) {
    await store.when(({ drafts }) => drafts.length === 0);
    expect(shown(store)).toBe('q a');
    expect(store.getMessageSiblingInfo('a')).toMatchObject({ siblingCount: 2, nextId: writer.id });
  }
});

test('a page that leaves an answer before its first word does not return to it', async () => {
  const server = await startChat('q', 'a');
  const here = openTab(server).thread('c');
  await here.open();
  const writer = valueOf(await here.write({ parentId: 'q' }));
  expect(await here.switchToSibling('a')).toMatchObject({ ok: true });
  expect(shown(here)).toBe('q a');
  writer.append('b');
  await here.when(({ branches }) => branches.length === 2);
  expect(shown(here)).toBe('q a');
  await writer.finish();
  await here.when(({ drafts }) => drafts.length === 0);
  expect(shown(here)).toBe('q a');
  here.showActive();
  expect(shown(here)).toBe('q b');
});

test('a page with a local view of another version stays there when an answer arrives', async () => {
  const server = await startChat('q', 'a');
  const here = openTab(server).thread('c', { switching: 'local' });
  await here.open();
  await here.edit('q', 'q2', { id: 'q2' });
  const writer = valueOf(await here.write());
  writer.append('a2');
  await here.switchToSibling('q');
  await writer.finish();
  await here.when(({ drafts }) => drafts.length === 0);
  expect(shown(here)).toBe('q a');
  await here.switchToSibling('q2');
  expect(shown(here)).toBe('q2 a2');
});

test('when the branch has moved on, an answer moves no page, and stays visible in the requesting page', async () => {
  const server = await startChat('q', 'a');
  const [here, there] = [openTab(server).thread('c'), openTab(server).thread('c')];
  await Promise.all([here.open(), there.open()]);
  const writer = valueOf(await here.write({ parentId: 'q' }));
  await there.send('more');
  await here.when(({ version }) => version >= there.getState().version);
  writer.append('b');
  await writer.finish();
  for (const store of [here, there]) await store.when(({ drafts, branches }) => drafts.length + branches.length === 2);
  expect([here, there].map(shown)).toEqual(['q b', 'q a more']);
});
