/** A server that sweeps unused files all the time, with a shorter expiry than its settings allow. It is killed. */
import process from 'node:process';
import { createServer } from '../../../dist/exports/parley.js';

const server = await createServer({
  databaseUrl: process.env.DATABASE_URL,
  port: 0,
  migrateOnStart: true,
  unusedFileExpiryMs: 150,
});
process.stdout.write(`Parley is ready. It listens on ${await server.start()}\n`);
