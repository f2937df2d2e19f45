/** A store on a server that requires tokens. */
import { expect, test } from 'vitest';
import { ContextEngine, RemoteStore, user } from '@parley/context';
import { startListening } from '../support/server/listening-server.js';
import { AUTH, bearer } from '../support/server/tokens.js';
import { failureOf } from './store-failure.js';

test('sends a token, read for each request, and sees the chats of its user', async () => {
  const { url } = await startListening({ auth: AUTH });
  const tokens = [await bearer('alice'), await bearer('alice'), await bearer('bob'), await bearer('alice', false, -60)];
  const store = new RemoteStore({ url, headers: () => tokens.shift()! });
  await store.upsertChat({ id: 'c', userId: 'alice' });
  expect(await store.getChat('c')).toMatchObject({ id: 'c', userId: 'alice' });
  expect(await store.getChat('c')).toBeNull();
  expect(await failureOf(store.getChat('c'))).toEqual({
    code: 'UNAUTHENTICATED',
    message: 'The token has expired',
    path: null,
  });
});

test('keeps pending messages while it waits for a token', async () => {
  const { url } = await startListening({ auth: AUTH, limits: { rateLimitPerUser: 20 } });
  let headers = {};
  const store = new RemoteStore({ url, headers: () => headers });
  const engine = new ContextEngine({ store, chatId: 'c', userId: 'alice' }).set(user('Hello'));
  expect(await failureOf(engine.save())).toMatchObject({ code: 'UNAUTHENTICATED' });
  headers = await bearer('alice');
  await engine.save();
  const head = (await store.getActiveBranch('c')).headMessageId!;
  expect(await store.getMessageChain(head)).toHaveLength(1);
  await Promise.allSettled(Array.from({ length: 20 }, () => store.getChat('c')));
  const limited = await failureOf(store.getChat('c'));
  expect(limited).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('retry in') as string });
});
