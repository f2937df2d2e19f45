/** A busy server accepts new clients. */
import { once } from 'node:events';
import { get } from 'node:http';
import { expect, it } from 'vitest';
import { startServer } from '../../support/server/server-process.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';

const READERS = 40;

/** Many database queries, each of which depends on the previous one. */
const BUSY = `{
  chats(first: 1) {
    edges { node { branches { edges { node { head {
      siblings { id }
      branches { name }
      parent { siblings { id } checkpoints { id } parent { siblings { id } branches { name } parent { siblings { id } } } }
    } } } } } }
  }
}`;

it('a new client is served while many others read', async () => {
  const server = await startServer({ DATABASE_URL: temporaryDatabaseUrl(), DEMO: 'on' });
  let answers = 0;
  let isOver = false;
  const readers = Array.from({ length: READERS }, async () => {
    while (!isOver) {
      expect(await server.post(BUSY)).not.toHaveProperty('errors');
      answers += 1;
    }
  });
  // Measure while the readers are under load.
  await expect.poll(() => answers).toBeGreaterThan(READERS);
  const before = answers;
  const [response] = (await once(get(new URL('/health/live', server.url), { agent: false }), 'response')) as [
    { statusCode: number },
  ];
  isOver = true;
  expect(response.statusCode).toBe(200);
  // The new client waits for one or two responses of each reader, not for dozens.
  expect(answers - before).toBeLessThan(5 * READERS);
  await Promise.all(readers);
});
