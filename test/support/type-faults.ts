/** Type-checks programs that a test has written. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

/**
 * TypeScript's errors in programs of one folder, with the options of this project and its own, without those of imported files.
 * Writes a tsconfig.json.
 */
export function typeFaults(files: readonly string[], compilerOptions: { lib?: readonly string[] } = {}): string {
  const folder = dirname(files[0]!);
  const project = join(folder, 'tsconfig.json');
  const config = { extends: join(ROOT, 'tsconfig.json'), files, include: [], compilerOptions };
  writeFileSync(project, JSON.stringify(config));
  const { stdout, stderr } = spawnSync(process.execPath, [TSC, '--project', project], {
    cwd: folder,
    encoding: 'utf8',
  });
  const faults = stdout.split('\n').filter((line) => !line.startsWith('.') && !line.startsWith(' '));
  return stderr + faults.join('\n');
}
