#!/usr/bin/env node
/**
 * The schema engine that prisma.config.ts names for Prisma's command line: JSON-RPC over stdio, processed by the engine's build from
 * npm. Prisma's own engine is a download.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import '../typescript.mjs';

const { openMigrationEngine } = await import('./migration-engine.ts');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { datasource: { type: 'string' }, datamodels: { type: 'string' } },
});
const { url } = JSON.parse(values.datasource);
const provider = url.startsWith('file:') ? 'sqlite' : 'postgresql';
const schema = values.datamodels === undefined ? `datasource db { provider = "${provider}" }` : read(values.datamodels);
const engine = await openMigrationEngine(url, ['schema.prisma', schema]);

if (positionals[0] === 'cli') {
  await engine.ensureConnectionValidity({ datasource: { tag: 'ConnectionString', url } });
  process.exit();
}
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const outcome = await engine[method](params).then(
    (result) => ({ result }),
    (error) => ({ error: { code: 4466, message: String(error), data: { is_panic: false, message: String(error) } } }),
  );
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
}

function read(path) {
  return readFileSync(path, 'utf8');
}
