/** Operations on PostgreSQL that exceed their time because another transaction has their locks. */
import { expect, it } from 'vitest';
import { startListening } from '../support/server/listening-server.js';
import { rawDatabase } from '../support/database/raw-database.js';
import { connectWebSocket } from '../support/server/raw-websocket.js';
import { late, stopClock } from './stopped-clock.js';
import { WITH_DEMO } from '../features/demo/with-demo.js';

const REWIND = 'mutation { rewind(input: { chatId: "demo", at: { message: "demo-answer" } }) { __typename } }';
const CREATE = 'mutation { createChat(input: { id: "new" }) { __typename } }';
const READ = '{ chat(id: "demo") { latestLeaf { id } } }';
const STATE = '{ demo: chat(id: "demo") { version } new: chat(id: "new") { id } }';

async function startSlow() {
  stopClock();
  const limits = { queryTimeoutMs: 300, mutationTimeoutMs: 300 };
  const server = await startListening({ ...WITH_DEMO, migrateOnStart: true, limits });
  const { ask } = await connectWebSocket(server.webSocketUrl);
  const other = await rawDatabase(server.databaseUrl);
  const watcher = await rawDatabase(server.databaseUrl);
  return {
    server,
    other,
    /** Both answers of an operation that cannot go on, each over a transport. */
    both: (query: string) => late(Promise.all([server.ask(query), ask(query, query)]), limits.queryTimeoutMs),
    /** Settles when no statement waits for a lock. */
    freed: () =>
      expect
        .poll(() =>
          watcher.rows(
            "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
          ),
        )
        .toEqual([]),
  };
}

const outcome = (more: string, extensions: object) => ({
  data: null,
  errors: [{ message: `The operation took longer than 300 ms${more}`, extensions: { code: 'TIMEOUT', ...extensions } }],
});
const nothingWritten = outcome(': nothing was written', { hasWritten: false });

it('a mutation that waits for its chat ends without having written anything, then and later', async () => {
  const { server, other, both, freed } = await startSlow();
  const before = await server.ask(STATE);
  await other.run(`BEGIN; SELECT 1 FROM chats WHERE id = 'demo' FOR UPDATE`);
  expect(await both(REWIND)).toEqual([nothingWritten, nothingWritten]);
  // The lock is still held, and no statement waits for it: the connections were returned to the pool.
  await freed();
  await other.run('COMMIT');
  expect(await server.ask(STATE)).toEqual(before);
  expect(await server.ask(REWIND)).toEqual({ data: { rewind: { __typename: 'BranchPayload' } } });
  expect(server.unexpectedErrors.size).toBe(0);
});

it('a mutation whose rows are locked ends without having written anything', async () => {
  const { server, other, both, freed } = await startSlow();
  const before = await server.ask(STATE);
  await other.run('BEGIN; LOCK TABLE branches IN EXCLUSIVE MODE');
  expect(await both(CREATE)).toEqual([nothingWritten, nothingWritten]);
  await freed();
  await other.run('COMMIT');
  expect(await server.ask(STATE)).toEqual(before);
  expect(server.unexpectedErrors.size).toBe(0);
});

it('a blocked query ends, and releases its connection', async () => {
  const { server, other, both, freed } = await startSlow();
  await other.run('BEGIN; LOCK TABLE messages IN ACCESS EXCLUSIVE MODE');
  const tooLate = outcome('', {});
  expect(await both(READ)).toEqual([tooLate, tooLate]);
  await freed();
  await other.run('COMMIT');
  expect(await server.ask(READ)).toHaveProperty('data.chat.latestLeaf.id');
  expect(server.unexpectedErrors.size).toBe(0);
});
