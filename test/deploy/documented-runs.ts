/** The `docker run` commands in docs/operations.md. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeVolume, type Image, type Volume } from './container-process.js';
import { PROJECT } from './manifests.js';

export interface DocumentedRun {
  /** In the order of the command, such as parley at /app/data. */
  volumes: { name: string; target: string }[];
  /** The command instead of the CMD of the image; empty for the CMD. */
  command: string[];
}

/** The server, a backup and a restore. */
export function documentedRuns(): [serve: DocumentedRun, backup: DocumentedRun, restore: DocumentedRun] {
  const operations = readFileSync(join(PROJECT, 'docs/operations.md'), 'utf8').replaceAll(/\\\n\s*/g, '');
  const runs = Array.from(
    operations.matchAll(/^docker run (.*) parley(?: (node .*))?$/gm),
    ([, options = '', command]) => ({
      volumes: Array.from(options.matchAll(/--volume ([^\s:]+):(\S+)/g), ([, name = '', target = '']) => ({
        name,
        target,
      })),
      command: command?.split(' ') ?? [],
    }),
  );
  const [serve, backup, restore, ...others] = runs;
  if (serve === undefined || backup === undefined || restore === undefined || others.length > 0) {
    throw new Error(`docs/operations.md has ${runs.length} commands to run the image instead of three`);
  }
  return [serve, backup, restore];
}

/** Volumes with names, which several containers mount. The first one creates a volume. */
export class NamedVolumes {
  constructor(
    private readonly image: Image,
    private readonly folder: string,
  ) {}

  of({ volumes }: DocumentedRun): Volume[] {
    return volumes.map(({ name, target }) => {
      const folder = join(this.folder, name);
      return existsSync(folder) ? { folder, target } : makeVolume(this.image, folder, target);
    });
  }
}
