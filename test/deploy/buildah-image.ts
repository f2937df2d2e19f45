/** Builds the Dockerfile with buildah, on a base image of Debian packages and this machine's Node. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { outputOf, run } from '../package/run.js';
import type { Image } from './container-process.js';
import { dockerfileStages } from './dockerfile.js';
import { PROJECT } from './manifests.js';

/** The Debian release in the Dockerfile. */
const RELEASE = 'trixie';
const TOOLS = ['buildah', 'debootstrap'];

/** The reason why buildah cannot build on this machine; undefined if it can. */
export async function whyNoBuildah(): Promise<string | undefined> {
  for (const tool of TOOLS) {
    const { code } = await run('sh', ['-c', `command -v ${tool}`], PROJECT);
    if (code !== 0) return `${tool} is not installed: apt-get install --no-install-recommends ${TOOLS.join(' ')}`;
  }
  return undefined;
}

interface Building {
  /** The variables of the RUN lines. */
  environment: Record<string, string>;
  /** Folders of this machine that the RUN lines may use. */
  shared: readonly string[];
}

/**
 * @param context the folder with the files of the repository
 * @param folder an empty folder for images and containers
 */
export async function buildWithBuildah(
  context: string,
  folder: string,
  { environment, shared }: Building,
): Promise<Image> {
  // Runs a shell script with $buildah. The mounts of its namespace end with it, also when it is killed.
  const shell = async (script: string, ...args: string[]) => {
    const buildah = `buildah --root ${join(folder, 'images')} --runroot ${join(folder, 'run')}`;
    const variables = { BUILDAH_ISOLATION: 'chroot', buildah };
    return (await outputOf('unshare', ['--mount', 'sh', '-ec', script, 'sh', ...args], context, variables)).trim();
  };
  const buildah = (...args: string[]) => shell('exec $buildah "$@"', ...args);
  // debootstrap needs device files, which file systems in memory do not allow.
  const base = await debianWithNode(mkdtempSync('/var/tmp/parley-debian-'));
  const blank = await buildah('from', 'scratch');
  await buildah('add', '--quiet', blank, base, '/').finally(() => rmSync(base, { recursive: true }));
  const settings = Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  await buildah('config', ...settings, blank);
  for (const name of imageNames()) await buildah('commit', '--quiet', blank, `docker.io/library/${name}`);
  await buildah('rm', blank);
  const volumes = shared.flatMap((path) => ['--volume', `${path}:${path}`]);
  // HEALTHCHECK exists only in the docker format.
  await buildah(
    'build',
    '--pull-never',
    '--format',
    'docker',
    ...volumes,
    '--tag',
    'parley',
    '--file',
    'deploy/Dockerfile',
    '.',
  );
  const root = join(folder, 'root');
  await shell('cp -a "$($buildah mount "$($buildah from --pull-never localhost/parley)")" "$1"', root);
  return { root };
}

/** The base images of the Dockerfile, with their default versions. */
function imageNames(): string[] {
  const stages = dockerfileStages();
  const names = new Set(stages.map(({ name }) => name));
  const bases = stages.map(({ base }) => base).filter((base) => !names.has(base));
  return [...new Set(bases.map((base) => base.replace('${NODE}', `22-${RELEASE}`)))];
}

async function debianWithNode(root: string): Promise<string> {
  await outputOf('debootstrap', ['--variant=minbase', RELEASE, root], PROJECT);
  const modules = join(dirname(process.execPath), '../lib/node_modules');
  cpSync(process.execPath, join(root, 'usr/bin/node'));
  mkdirSync(join(root, 'usr/lib/node_modules'), { recursive: true });
  cpSync(join(modules, 'npm'), join(root, 'usr/lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/bin/npm'));
  return root;
}
