/** A PostgreSQL database that becomes read-only while a server runs, such as by a provider that protects it. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import { startConfigured } from '../../support/server/configured-server.js';
import { all, READ_ONLY, readiness, READY, saveAll, startWithChats } from './refused-saves.js';

/** A database on the server of the tests. */
async function createDatabase() {
  const owner = new pg.Client(inject('serverUrl'));
  await owner.connect();
  const name = `parley_test_${randomUUID().replaceAll('-', '')}`;
  await owner.query(`CREATE DATABASE ${name}`);
  onTestFinished(async () => {
    await owner.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await owner.end();
  });
  const url = new URL(inject('serverUrl'));
  url.pathname = `/${name}`;
  return {
    url: url.href,
    set: (value: 'on' | 'off') => owner.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`),
    endSessions: () =>
      owner.query('SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = $1', [name]),
  };
}

it('every save in a database that became read-only is unavailable, and the first one after its end succeeds', async () => {
  const database = await createDatabase();
  const server = await startWithChats(database.url);
  expect(await readiness(server)).toEqual(READY);
  await database.set('on');
  await database.endSessions();
  // The server has closed all connections in the first round, and opens others in the second.
  for (const round of ['first', 'second']) {
    expect(await saveAll(server, round)).toEqual(all('DATABASE_UNAVAILABLE: The database is read-only'));
    expect(await readiness(server)).toEqual(READ_ONLY);
  }
  expect(await server.post('{ chat(id: "chat-0") { messageCount } }')).toEqual({ data: { chat: { messageCount: 0 } } });
  const another = await startConfigured({ DATABASE_URL: database.url });
  expect(await readiness(another)).toEqual(READ_ONLY);
  await database.set('off');
  expect(await readiness(another)).toEqual(READY);
  expect(await readiness(server)).toEqual(READY);
  expect(await saveAll(server, 'again')).toEqual(all('saved'));
});
