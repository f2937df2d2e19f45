/**
 * Renders the schema of each database from the portable one, and generates their clients into src/generated, without a
 * network and without a word when all is well.
 *
 * The Prisma CLI downloads its schema engine before any command, unless a variable names a file to take in its place.
 * `generate` never runs that engine, so any file that exists will do: this one.
 *
 * Nothing is done when the clients are already those of the present schema and the present version of Prisma.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { PROVIDERS, renderSchema } from './render-schema.mjs';

const self = fileURLToPath(import.meta.url);
const root = dirname(dirname(self));
const source = join(root, 'prisma', 'schema.prisma');
const generated = join(root, 'src', 'generated');
const stamp = join(generated, '.made-from');

const manifest = createRequire(import.meta.url).resolve('prisma/package.json');
const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));

const inputs = [source, manifest, self, join(dirname(self), 'render-schema.mjs')];
const hash = inputs.reduce((digest, file) => digest.update(readFileSync(file)), createHash('sha256'));
const madeFrom = `${hash.digest('hex')}\n`;
const isMade = PROVIDERS.every((provider) => existsSync(join(generated, provider, 'client.ts')));

if (!isMade || !existsSync(stamp) || readFileSync(stamp, 'utf8') !== madeFrom) {
  // Without its stamp, a client that was left half written is made again.
  rmSync(stamp, { force: true });
  const codes = await Promise.all(PROVIDERS.map(generate));
  const failed = codes.find((code) => code !== 0);
  if (failed !== undefined) process.exit(failed);
  writeFileSync(stamp, madeFrom);
}

/** @returns the exit code */
async function generate(provider) {
  const schema = join(generated, `${provider}.prisma`);
  mkdirSync(generated, { recursive: true });
  writeFileSync(schema, renderSchema(readFileSync(source, 'utf8'), provider));
  const child = spawn(
    process.execPath,
    [join(dirname(manifest), bin.prisma), 'generate', '--schema', schema, '--no-hints'],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        PRISMA_SCHEMA_ENGINE_BINARY: self,
        PRISMA_HIDE_UPDATE_MESSAGE: '1',
        CHECKPOINT_DISABLE: '1',
      },
    },
  );
  const exited = new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code) => resolve(code ?? 1));
  });
  const [code, stdout, stderr] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
  if (code === 0) return 0;
  process.stderr.write(`${stdout}${stderr}prisma generate failed for ${provider}: ${code}\n`);
  return typeof code === 'number' ? code : 1;
}
