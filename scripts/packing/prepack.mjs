/**
 * Builds the content of a tarball, JavaScript and declarations: of one package in its folder, and at the root of the
 * server and all packages, whose declarations the server's need.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { changedManifests, writePublishedManifest } from './manifests.mjs';
import { packages, root, usesTransport, withOwnTransport } from '../parts.mjs';

const CONTRACT = 'schema.graphql';

const packed = relative(root, process.cwd());
const parts = packed === '' ? [...packages, '.'] : [packed];
for (const part of parts) rmSync(join(root, part, 'dist'), { recursive: true, force: true });
await import('../build.mjs');
if (packed === '') await writeCacheFiles();
for (const part of parts) declare(part);
for (const part of parts) copyContract(part);
for (const folder of changedManifests(packed)) writePublishedManifest(join(root, folder));

/** Writes the files that configure the caches of frontends; npm packs them and git ignores them. */
async function writeCacheFiles() {
  const [{ schema }, { cacheFiles }] = await Promise.all(
    ['server/schema.js', 'cli/schema-files.js'].map((path) => import(pathToFileURL(join(root, 'dist', path)).href)),
  );
  for (const [name, text] of Object.entries(cacheFiles(schema))) writeFileSync(join(root, name), text);
}

/** Copies the contract of the root into a package that exports it. */
function copyContract(part) {
  const { files } = JSON.parse(readFileSync(join(root, part, 'package.json'), 'utf8'));
  if (part !== '.' && files.includes(CONTRACT)) copyFileSync(join(root, CONTRACT), join(root, part, CONTRACT));
}

/** Writes the declarations of a package next to its modules. */
function declare(part) {
  console.error(`Writing the declarations of ${part === '.' ? 'the server' : part}…`);
  const args = ['-p', join(part, 'tsconfig.build.json')];
  const { status } = spawnSync('tsc', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) process.exit(status ?? 1);
  if (part !== '.') placeDeclarations(part);
}

/** Moves the declarations of a package, and those of the transport that it uses, to their modules. */
function placeDeclarations(part) {
  const dist = join(root, part, 'dist');
  const types = join(dist, '.types');
  const targets = { [basename(part)]: '', ...(usesTransport(part) && { transport: 'transport' }) };
  for (const [name, target] of Object.entries(targets)) {
    const from = join(types, name, 'src');
    for (const path of readdirSync(from, { recursive: true }).filter((file) => file.endsWith('.d.ts'))) {
      const text = readFileSync(join(from, path), 'utf8');
      writeFileSync(join(dist, target, path), withOwnTransport(text, join(target, path)));
    }
  }
  rmSync(types, { recursive: true });
}
