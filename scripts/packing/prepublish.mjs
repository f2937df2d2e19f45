/**
 * `prepublishOnly` of each package: refuses `npm publish` unless the commit is clean and has the tag of the version. `prepack` then
 * builds that commit anew.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
const tag = `v${version}`;
const isClean = git('status', '--porcelain') === '';
const isTagged = git('tag', '--points-at', 'HEAD')?.split('\n').includes(tag);

if (!isClean || !isTagged) {
  console.error(
    `${name} ${version} is published only from a clean commit with the tag ${tag}: commit, tag, and try again`,
  );
  process.exitCode = 1;
}

/** The output of git; undefined without a repository or without git. */
function git(...args) {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}
