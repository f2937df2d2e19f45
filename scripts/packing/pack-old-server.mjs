/**
 * `node scripts/packing/pack-old-server.mjs COMMIT`: packs the server of a commit into test/upgrade/old-server.tar.gz, for the
 * tests that run it next to the present one and compare the schemas. Use the last commit before the migrations of no release. The
 * package has JavaScript, migrations, package.json and schema.graphql; its dependencies are those of the repository.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../parts.mjs';

const WHOLE = ['dist', 'prisma/migrations', 'package.json', 'schema.graphql'];

const [commit] = process.argv.slice(2);
if (commit === undefined)
  throw new Error('pack-old-server takes a commit: the last one before the migrations of no release');
const folder = mkdtempSync(join(tmpdir(), 'parley-old-'));
const run = (program, args, cwd = folder) => execFileSync(program, args, { cwd, stdio: 'inherit' });
try {
  const [source, server] = ['source', 'server'].map((name) => join(folder, name));
  mkdirSync(source);
  run('git', ['archive', `--output=${folder}/source.tar`, commit], root);
  run('tar', ['-xf', 'source.tar', '-C', 'source']);
  symlinkSync(join(root, 'node_modules'), join(source, 'node_modules'));
  // The old server is tested without its explorer, which older commits have at the top level.
  for (const page of ['explorer', 'packages/explorer']) rmSync(join(source, page), { recursive: true, force: true });
  run(process.execPath, ['scripts/build.mjs'], source);
  const { bundleDependencies } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const bundled = bundleDependencies.flatMap((name) =>
    ['dist', 'package.json'].map((path) => [
      `packages/${name.replace('@parley/', '')}/${path}`,
      `node_modules/${name}/${path}`,
    ]),
  );
  for (const [from, to] of [...WHOLE.map((path) => [path, path]), ...bundled]) {
    const filter = (path) => !path.endsWith('.map') && !path.endsWith('.built-from');
    cpSync(join(source, from), join(server, to), { recursive: true, filter });
  }
  const target = join(root, 'test/upgrade/old-server.tar.gz');
  run('tar', [
    '--sort=name',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mtime=@0',
    '-czf',
    target,
    '-C',
    server,
    '.',
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
