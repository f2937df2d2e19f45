/** The server of the last released schema: see scripts/packing/pack-old-server.mjs. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../support/temporary-folder.js';

export const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

/** Unpacks the old server into a folder from which the project's dependencies resolve. */
export function unpackOldServer(): string {
  const folder = temporaryFolder();
  const server = join(folder, 'server');
  mkdirSync(server);
  execFileSync('tar', ['-xzf', join(PROJECT, 'test/upgrade/old-server.tar.gz'), '-C', server]);
  symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  return server;
}
