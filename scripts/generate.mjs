/**
 * Generates the database client into src/generated, without a network and without a word when all is well.
 *
 * The Prisma CLI downloads its schema engine before any command, unless a variable names a file to take in its place.
 * `generate` never runs that engine, so any file that exists will do: this one.
 *
 * Nothing is done when the client is already that of the present schema and the present version of Prisma.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const self = fileURLToPath(import.meta.url);
const root = dirname(dirname(self));
const schema = join(root, 'prisma', 'schema.prisma');
const client = join(root, 'src', 'generated', 'sqlite', 'client.ts');
const stamp = join(root, 'src', 'generated', '.made-from');

const manifest = createRequire(import.meta.url).resolve('prisma/package.json');
const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));

const inputs = [schema, manifest, self].reduce((hash, file) => hash.update(readFileSync(file)), createHash('sha256'));
const madeFrom = `${inputs.digest('hex')}\n`;

if (!existsSync(client) || !existsSync(stamp) || readFileSync(stamp, 'utf8') !== madeFrom) {
  // Without its stamp, a client that was left half written is made again.
  rmSync(stamp, { force: true });
  generate();
  writeFileSync(stamp, madeFrom);
}

function generate() {
  const { status, error, stdout, stderr } = spawnSync(
    process.execPath,
    [join(dirname(manifest), bin.prisma), 'generate', '--schema', schema, '--no-hints'],
    {
      cwd: root,
      encoding: 'utf8',
      env: {
        ...process.env,
        PRISMA_SCHEMA_ENGINE_BINARY: self,
        PRISMA_HIDE_UPDATE_MESSAGE: '1',
        CHECKPOINT_DISABLE: '1',
      },
    },
  );
  if (status === 0) return;
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}${error ? `${error.message}\n` : ''}`);
  process.stderr.write('prisma generate failed\n');
  process.exit(status ?? 1);
}
