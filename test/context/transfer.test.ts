/** Exports and imports of chats by RemoteStore. */
import { expect, it } from 'vitest';
import { RemoteStore } from '../../packages/context/src/exports/context.js';
import { startListening } from '../support/server/listening-server.js';
import { startProxy } from '../support/server/tcp-proxy.js';
import { AUTH, bearer } from '../support/server/tokens.js';

const conversations = (count: number) =>
  Array.from({ length: count }, (_, n) => `{"id":"c${n}","conversations":[{"from":"human","value":"${n}"}]}`).join(
    '\n',
  );

it('an exported chat is imported unchanged, and other files are reported by conversation', async () => {
  const [from, to] = [
    new RemoteStore({ url: (await startListening({ demo: true })).url }),
    // It imports in its own process: starting another takes most of the time of an import.
    new RemoteStore({ url: (await startListening({ databaseUrl: ':memory:' })).url }),
  ];
  const file = await from.exportChats({ chatId: 'demo' });
  expect(await to.importChats(file)).toEqual({ imported: 1, updated: 0, unchanged: 0, failed: 0 });
  expect(await to.getMessages('demo')).toEqual(await from.getMessages('demo'));
  expect(await to.listBranches('demo')).toEqual(await from.listBranches('demo'));
  const zip = await new Response(await from.exportChats({ format: 'markdown', paths: 'leaves', zip: true })).text();
  expect(zip).toMatch(/^PK[^]*\.md/);
  expect(await new Response(await from.exportChats({ chatId: 'demo', zip: false })).text()).toMatch(/^\{/);
  const reports: unknown[] = [];
  const onTold = (one: unknown) => void reports.push(one);
  expect(await to.importChats(`${conversations(1)}\n{"mapping": 5}`, { onTold })).toMatchObject({
    imported: 1,
    failed: 1,
  });
  expect(reports).toMatchObject([{ chatId: expect.any(String) as string }, { place: 'line 2' }]);
});

it('refusals and broken connections have codes', async () => {
  const server = await startListening({ auth: AUTH });
  const headers = await bearer('ann');
  const store = new RemoteStore({ url: server.url, headers });
  await expect(store.exportChats({ chatId: 'nowhere' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(store.exportChats({ format: 'docx' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  await expect(store.exportChats({ userId: 'bob' })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  await expect(new RemoteStore({ url: server.url }).importChats('{}')).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
  });
  const { hostname, port } = new URL(server.url);
  const proxy = await startProxy({ host: hostname, port: Number(port) });
  const far = new RemoteStore({ url: `http://127.0.0.1:${proxy.port}/graphql`, headers });
  await expect(far.importChats(conversations(600), { onTold: () => proxy.cut() })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });
  expect(await store.importChats(conversations(3))).toMatchObject({ failed: 0 });
});
