/** Type-checks programs that a test has written. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

/** TypeScript's errors in programs of one folder, with the options of this project and its own. Writes a tsconfig.json. */
export function typeFaults(files: readonly string[], compilerOptions: { lib?: readonly string[] } = {}): string {
  const project = join(dirname(files[0]!), 'tsconfig.json');
  const config = { extends: join(ROOT, 'tsconfig.json'), files, include: [], compilerOptions };
  writeFileSync(project, JSON.stringify(config));
  const { stdout, stderr } = spawnSync(process.execPath, [TSC, '--project', project], { encoding: 'utf8' });
  return stdout + stderr;
}
