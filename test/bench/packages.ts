/** The packages that `npm ci` installed, and their size on the disk according to du. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Ratio } from './measuring/report.js';

/** npm's list of installed packages, by path. */
const LIST = 'node_modules/.package-lock.json';

interface Installed {
  packages: Record<string, { dev?: boolean; devOptional?: boolean; optional?: boolean }>;
}

export async function* measurePackages(): AsyncGenerator<Ratio> {
  const { packages } = JSON.parse(readFileSync(LIST, 'utf8')) as Installed;
  const paths = Object.keys(packages);
  const shipped = paths.filter((path) => !packages[path]!.dev && !packages[path]!.devOptional);
  const needed = shipped.filter((path) => !packages[path]!.optional);
  const size = (what: string, megabytes: number, goal: number, detail: string): Ratio => ({
    what,
    ratio: megabytes,
    goal,
    unit: 'MB',
    detail,
  });
  // The slash makes du follow a symbolic link.
  yield size('node_modules after npm ci', megabytesOf(['node_modules/']), 520, 'du -sk, with Prisma’s command line');
  const withOptional = Math.round(megabytesOf(shipped));
  yield size(
    'production packages',
    megabytesOf(needed),
    180,
    `${needed.length} packages, those of npm ci --omit=dev --omit=optional; ${withOptional} MB with the optional ones`,
  );
  yield {
    what: 'packages after npm ci',
    ratio: paths.length,
    goal: 600,
    unit: 'packages',
    detail: 'as npm lists them, with Prisma’s command line',
  };
}

/** Nested folders are counted once. */
function megabytesOf(paths: string[]): number {
  const lines = execFileSync('du', ['-skc', ...paths], { encoding: 'utf8' })
    .trim()
    .split('\n');
  return Number.parseInt(lines.at(-1)!) / 1024;
}
