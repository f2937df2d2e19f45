/** PostgresContextStore on a real database. */
import { expect, onTestFinished, test } from 'vitest';
import { ContextEngine, user } from '@parley/context';
import { PostgresContextStore } from '../../../src/exports/parley.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';

test('a pool of settings creates its tables, and a pool of its URL finds the chats', async () => {
  const connectionString = temporaryDatabaseUrl();
  const store = new PostgresContextStore({ pool: { connectionString, max: 4 } });
  onTestFinished(() => store.close());
  const engine = new ContextEngine({ store, chatId: 'chat-001', userId: 'user-001' });
  await engine.set(user('Hello', { id: 'q1' })).save();
  await store.close();
  await store.close();
  const again = new PostgresContextStore({ pool: connectionString });
  onTestFinished(() => again.close());
  expect(await again.getMessages('chat-001')).toMatchObject([{ id: 'q1' }]);
});
