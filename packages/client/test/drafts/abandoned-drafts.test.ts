/** Drafts whose writers have died: another page ends or continues them. */
import { expect, test } from 'vitest';
import { abandon, openTab, shown, startChat, until, valueOf } from '../open-parley.js';

test('an abandoned draft is shown as abandoned, also after a stop, and is ended with its text so far', async () => {
  const server = await startChat('q');
  const [here, there] = [openTab(server).thread('c'), openTab(server).thread('c')];
  await Promise.all([here.open(), there.open()]);
  const writer = valueOf(await here.write({ metadata: { model: 'm' } }));
  writer.append('half');
  await there.when(() => shown(there) === 'q half');
  expect(await there.finishDraft(writer.id)).toMatchObject({ ok: false, error: { code: 'NOT_ABANDONED' } });
  expect(await there.stop()).toMatchObject({ ok: true, value: [writer.id] });
  await there.when(({ thread }) => thread.at(-1)?.status === 'stopping');
  await abandon(server);
  await there.when(({ thread }) => thread.at(-1)?.status === 'abandoned');
  // A page that loads later, and a page that reconnects, show the same.
  const late = openTab(server).thread('c');
  expect((await late.open()).thread.at(-1)).toMatchObject({ status: 'abandoned' });
  await late.when(() => shown(late) === 'q half');
  expect(late.getState().thread.at(-1)?.status).toBe('abandoned');

  expect(await late.stop()).toEqual({ ok: true, value: [writer.id] });
  for (const store of [here, there, late]) {
    await store.when(({ drafts }) => drafts.length === 0);
    expect(store.getState().thread.at(-1)).toMatchObject({
      id: writer.id,
      text: 'half',
      data: { metadata: { model: 'm', status: 'incomplete' } },
    });
  }
  expect(await late.finishDraft(writer.id)).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
});

test('an abandoned draft is ended with other content, or discarded when it is empty', async () => {
  const server = await startChat('q');
  const [here, there] = [openTab(server).thread('c'), openTab(server).thread('c')];
  await Promise.all([here.open(), there.open()]);
  const writer = valueOf(await here.write());
  writer.append({ type: 'start' });
  await there.when(({ drafts }) => drafts[0]?.chunks.length === 1);
  await abandon(server);
  await here.when(({ thread }) => thread.at(-1)?.status === 'abandoned');
  expect(await here.finishDraft(writer.id)).toEqual({ ok: true, value: null });
  await until(here, 'q');
  const other = valueOf(await here.write());
  other.append('half');
  await there.when(({ drafts }) => drafts[0]?.chunks.length === 1);
  await abandon(server);
  expect(await here.finishDraft(other.id, { data: { parts: [{ type: 'text', text: 'better' }] } })).toMatchObject({
    ok: true,
    value: { id: other.id, text: 'better' },
  });
  await until(here, 'q better');
});

test('another page continues an abandoned draft after its last chunk', async () => {
  const server = await startChat('q');
  const [here, there] = [openTab(server).thread('c'), openTab(server).thread('c')];
  await Promise.all([here.open(), there.open()]);
  const writer = valueOf(await here.write());
  writer.append('one ', 'two ');
  await there.when(() => shown(there) === 'q one two ');
  expect(await there.takeUp(writer.id)).toMatchObject({ ok: false, error: { code: 'NOT_ABANDONED' } });
  await abandon(server);
  for (const store of [here, there]) await store.when(({ thread }) => thread.at(-1)?.status === 'abandoned');
  const taken = valueOf(await there.takeUp(writer.id));
  for (const store of [here, there]) await store.when(({ thread }) => thread.at(-1)?.status === 'streaming');
  taken.append('three');
  expect(shown(there)).toBe('q one two three');
  await here.when(() => shown(here) === 'q one two three');
  await taken.finish();
  for (const store of [here, there]) await until(store, 'q one two three');
});
