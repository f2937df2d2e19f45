/**
 * Writes the columns of each table into src/generated, renders the schema of each database and runs `prisma generate`
 * on it, which writes a client there, unless the models and the version of Prisma are unchanged.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { root } from './parts.mjs';
import { PROVIDERS, writeSchema } from './prisma/render-schema.mjs';
import './prisma/generate-tables.mjs';

const generated = join(root, 'src', 'generated');
const stamp = join(generated, '.made-from');

// Prisma itself may be missing: a built project runs without its devDependencies.
const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const inputs = [fileURLToPath(import.meta.url), ...PROVIDERS.map(writeSchema)];
const hash = createHash('sha256').update(devDependencies.prisma);
for (const file of inputs) hash.update(readFileSync(file));
const madeFrom = `${hash.digest('hex')}\n`;
const isMade = PROVIDERS.every((provider) => existsSync(join(generated, provider, 'client.ts')));

if (!isMade || !existsSync(stamp) || readFileSync(stamp, 'utf8') !== madeFrom) {
  console.error('Generating the database clients…');
  // After an interrupted run, the clients are generated again.
  rmSync(stamp, { force: true });
  await Promise.all(PROVIDERS.map(generate));
  writeFileSync(stamp, madeFrom);
}

async function generate(provider) {
  // The command line downloads its migration engine unless this names a file; `generate` does not run it.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' };
  const cli = join(createRequire(import.meta.url).resolve('prisma/package.json'), '..', 'build', 'index.js');
  const args = [cli, 'generate', '--no-hints', '--schema', writeSchema(provider)];
  try {
    await promisify(execFile)(process.execPath, args, { cwd: root, env });
  } catch (error) {
    console.error(error.stdout + error.stderr);
    process.exit(1);
  }
}
