/** Installs what Parley is compared with beside this file, out of the project's own packages; and finds its Node. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** Which lockfile node_modules was made from. */
const STAMP = join(folder, 'node_modules', '.made-from');

/** What both need: node:sqlite, and what PostGraphile says. */
const NODE_MAJOR = 24;

/** Both peers' versions. */
export const { dependencies: versions } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};

/** @returns the path of the Node to run them with; takes some minutes the first time */
export function installPeers(): string {
  const hash = createHash('sha256').update(readFileSync(join(folder, 'package-lock.json')));
  const madeFrom = `${hash.digest('hex')}\n`;
  if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== madeFrom) {
    console.log('Installing the peers: some 550 packages with 1.3 GB, into test/bench/peers/node_modules ...');
    execFileSync('npm', ['ci', '--loglevel=error'], { cwd: folder, stdio: 'inherit' });
    writeFileSync(STAMP, madeFrom);
  }
  return nodeOfPeers();
}

/** @throws Error where npm has none for this platform, and this process's own is too old */
function nodeOfPeers(): string {
  const installed = join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(installed)) return installed;
  if (Number.parseInt(process.versions.node) >= NODE_MAJOR) return process.execPath;
  throw new Error(`The peers need Node ${NODE_MAJOR}, which npm does not have for this platform: run this with it.`);
}
