/** The volumes of the `docker run` command in docs/operations.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from './manifests.js';

/** In the order of the command, such as parley at /app/data. */
export function documentedVolumes(): { name: string; target: string }[] {
  const operations = readFileSync(join(PROJECT, 'docs/operations.md'), 'utf8');
  const [command = ''] = /^docker run [^]*? parley$/m.exec(operations) ?? [];
  return Array.from(command.matchAll(/--volume ([^\s:]+):(\S+)/g), ([, name = '', target = '']) => ({ name, target }));
}
