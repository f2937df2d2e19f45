/** Starts a built image like the documented container: a read-only root, no capabilities, and writable volumes. */
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from '../package/run.js';
import { dockerfileStages, environmentOf } from './dockerfile.js';

export interface Image {
  /** The folder of its root file system. */
  root: string;
}

/** A volume of a container, such as a folder for /app/data. */
export interface Volume {
  folder: string;
  target: string;
}

/**
 * Mounts everything in a separate namespace. The shell stays process 1: a process that changes its user loses its
 * parent-death signal, but the kernel ends all processes with process 1. $1 is the root and $2 the volumes, by lines; the
 * command follows.
 */
const SCRIPT = `
  set -e
  root=$1 volumes=$2; shift 2
  mount --make-rprivate /
  mount --bind "$root" "$root"
  mount -t tmpfs -o mode=755,size=64k tmpfs "$root/dev"
  for device in null zero random urandom; do
    touch "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"
  done
  mount -o remount,bind,ro "$root/dev"
  mount -t proc proc "$root/proc"
  echo "$volumes" | while read -r folder target; do mount --bind "$folder" "$root$target"; done
  mount -o remount,bind,ro "$root"
  chroot "$root" env --chdir=/app "$@" || exit`;

/** The user and the rights of the documented container. */
const UNPRIVILEGED = ['--reuid=1000', '--regid=1000', '--clear-groups', '--bounding-set=-all', '--inh-caps=-all'];

/** The reason why containers cannot be started on this machine; undefined if they can. */
export async function whyNoContainers(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'containers need Linux';
  if (process.getuid?.() !== 0) return 'only root can mount file systems for a container';
  const { code, stderr } = await run('unshare', ['--mount', '--pid', '--fork', 'setpriv', '--version'], '/');
  return code === 0 ? undefined : `namespaces cannot be made: ${stderr.trim()}`;
}

/** The command that runs another one in a container, as user 1000 and with the variables of the image. */
export function inContainer({ root }: Image, volumes: readonly Volume[], command: readonly string[]): string[] {
  const places = volumes.map(({ folder, target }) => `${folder} ${target}`).join('\n');
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child'];
  const mounting = ['sh', '-c', SCRIPT, 'sh', root, places];
  const { PATH = '' } = process.env;
  const variables = Object.entries({
    PATH: `${dirname(process.execPath)}:${PATH}`,
    ...environmentOf(dockerfileStages().at(-1)!),
  });
  const environment = variables.map(([name, value]) => `${name}=${value}`);
  const unprivileged = ['setpriv', ...UNPRIVILEGED, '--no-new-privs'];
  return ['unshare', ...namespaces, ...mounting, ...environment, ...unprivileged, ...command];
}

/**
 * Sends SIGTERM to the program of a container.
 * @param pid of the outer process, which ends with the program's exit code
 */
export function stopContainer(pid: number): void {
  const childOf = (parent: string) => readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim();
  process.kill(Number(childOf(childOf(String(pid)))), 'SIGTERM');
}

/** Creates a volume like Docker: empty, with the owner and mode of the image's folder at the target. */
export function makeVolume({ root }: Image, folder: string, target: string): Volume {
  const { uid, gid, mode } = statSync(join(root, target));
  mkdirSync(folder);
  chownSync(folder, uid, gid);
  chmodSync(folder, mode);
  return { folder, target };
}
