/** Replays the COPY and RUN lines of the Dockerfile with the programs of this machine, as the user that runs the tests. */
import { chmodSync, cpSync, mkdirSync, statSync, symlinkSync, lstatSync, readlinkSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { outputOf } from '../package/run.js';
import { argumentsOf, dockerfileStages, environmentOf, ignoreRules, isIgnored, type Stage } from './dockerfile.js';
import { PROJECT } from './manifests.js';
import type { Image } from './container-process.js';

/** Folders of this machine that hold programs and their libraries. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc'];

/**
 * @param folder an empty folder; each stage has a root folder in it
 * @param environment of the RUN lines
 */
export async function replayBuild(folder: string, environment: Record<string, string>): Promise<Image> {
  const roots = new Map<string, string>();
  let root = '';
  for (const [n, stage] of dockerfileStages().entries()) {
    root = join(folder, `stage-${n}`);
    const base = roots.get(stage.base);
    if (base === undefined) mkdirSync(root);
    else await outputOf('cp', ['-a', base, root], folder);
    await replayStage(stage, root, roots, environment);
    if (stage.name !== undefined) roots.set(stage.name, root);
  }
  return { root, shared: addSystem(root) };
}

async function replayStage(
  stage: Stage,
  root: string,
  roots: ReadonlyMap<string, string>,
  environment: Record<string, string>,
): Promise<void> {
  // Stages that extend another one use its folder.
  const workdir = join(root, argumentsOf(stage, 'WORKDIR')[0] ?? '/app');
  mkdirSync(workdir, { recursive: true });
  for (const { name, text } of stage.instructions) {
    if (name === 'RUN') await outputOf('sh', ['-c', text], workdir, { ...environment, ...environmentOf(stage) });
    if (name === 'COPY') copy(text, workdir, roots);
  }
}

/** Runs a COPY line. @param roots the folders of other stages, by name */
function copy(text: string, workdir: string, roots: ReadonlyMap<string, string>): void {
  const [, from, paths = ''] = /^(?:--from=(\S+) )?(.*)$/.exec(text) ?? [];
  const sources = paths.split(' ');
  const target = sources.pop() ?? '';
  const rules = ignoreRules();
  for (const source of sources) {
    const path = from === undefined ? resolve(PROJECT, source) : join(roots.get(from) ?? '', source);
    const isFolder = statSync(path).isDirectory();
    const destination = join(workdir, target, isFolder || !target.endsWith('/') ? '' : basename(source));
    mkdirSync(dirname(destination), { recursive: true });
    const filter = (each: string) => from !== undefined || !isIgnored(relative(PROJECT, each), rules);
    cpSync(path, destination, { recursive: true, verbatimSymlinks: true, filter });
  }
}

/** Creates mount points for the machine's system folders. @returns the folders to mount */
function addSystem(root: string): string[] {
  const node = dirname(dirname(process.execPath));
  const folders = node.startsWith('/usr') ? SYSTEM : [...SYSTEM, node];
  mkdirSync(join(root, 'tmp'));
  chmodSync(join(root, 'tmp'), 0o1777);
  mkdirSync(join(root, 'proc'));
  mkdirSync(join(root, 'dev'));
  return folders.filter((folder) => {
    const place = join(root, folder);
    if (lstatSync(folder).isSymbolicLink()) symlinkSync(readlinkSync(folder), place);
    else mkdirSync(place, { recursive: true });
    return !lstatSync(folder).isSymbolicLink();
  });
}
