/** Installs the compared products in this folder, apart from the project's packages, and finds a Node for them. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** Identifies the lockfile from which node_modules was installed. */
const STAMP = join(folder, 'node_modules', '.made-from');

/** Required by node:sqlite and by PostGraphile. */
const NODE_MAJOR = 24;

/** The versions of both peers. */
export const { dependencies: versions } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};

/** @returns the path of the Node that runs them; the first call takes some minutes */
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

/** @throws Error if npm has none for this platform, and this process's Node is too old */
function nodeOfPeers(): string {
  const installed = join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(installed)) return installed;
  if (Number.parseInt(process.versions.node) >= NODE_MAJOR) return process.execPath;
  throw new Error(
    `The peers need Node ${NODE_MAJOR}, which npm does not have for this platform: run this command with it.`,
  );
}
