/** PostGraphile with default settings on Parley's tables: an endpoint for each schema. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import pg from 'pg';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

const functions = readFileSync(new URL('./postgraphile.sql', import.meta.url), 'utf8');

process.once('message', async ({ url, schemas }) => {
  const endpoints = {};
  for (const [size, schema] of Object.entries(schemas)) endpoints[size] = await serve(url, schema);
  process.send(endpoints);
});

async function serve(connectionString, schema) {
  const client = new pg.Client(connectionString);
  await client.connect();
  await client.query(`SET search_path TO "${schema}"`);
  await client.query(functions);
  await client.end();
  const instance = postgraphile({
    extends: [PostGraphileAmberPreset],
    pgServices: [makePgService({ connectionString, schemas: [schema] })],
  });
  const server = createServer();
  await instance.createServ(grafserv).addTo(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${server.address().port}/graphql`;
}
