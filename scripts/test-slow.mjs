/**
 * `npm run test:slow -- FILES`: runs tests with about a tenth of the processors, which shows dependences on the speed of the
 * machine; `--config vitest.long.config.ts` selects the long ones. A control group limits them if this process may create one;
 * otherwise, they share the processors with busy threads.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

const PERIOD_US = 100_000;
const QUOTA_US = (availableParallelism() * PERIOD_US) / 10;

const TIMEOUT_MS = 7_200_000;
const vitest = [
  'vitest',
  'run',
  '--testTimeout',
  `${TIMEOUT_MS}`,
  '--hookTimeout',
  `${TIMEOUT_MS}`,
  ...process.argv.slice(2),
];
const group = limitedGroup();
if (group === undefined) busyThreads();
const [program, ...args] =
  group === undefined ? vitest : ['sh', '-c', 'echo $$ >"$0/cgroup.procs" && exec "$@"', group, ...vitest];
const child = spawn(program, args, { stdio: 'inherit', shell: process.platform === 'win32' });
// Ctrl-C reaches both; a signal of a supervisor is passed on.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => child.kill());
const [code] = await once(child, 'exit');
if (group !== undefined) await removeGroup();
process.exit(code ?? 1);

/** The folder of a control group of Linux, version 2 or 1, or undefined. */
function limitedGroup() {
  const settings = [
    ['/sys/fs/cgroup', 'cpu.max', `${QUOTA_US} ${PERIOD_US}`],
    ['/sys/fs/cgroup/cpu', 'cpu.cfs_quota_us', QUOTA_US],
  ];
  for (const [parent, file, value] of settings) {
    const folder = join(parent, `parley-tests-${process.pid}`);
    try {
      mkdirSync(folder);
    } catch {
      continue;
    }
    try {
      writeFileSync(join(folder, file), String(value), { flag: 'r+' });
      return folder;
    } catch {
      rmdirSync(folder);
    }
  }
}

/** Its last processes, such as databases, end a moment after Vitest. */
async function removeGroup() {
  for (let tries = 0; tries < 300; tries++) {
    try {
      return rmdirSync(group);
    } catch {
      await pause(100);
    }
  }
  console.error(`Processes of the tests have not ended: ${join(group, 'cgroup.procs')}`);
}

/** Nine for each processor, which end with this process. Tests and threads have the lowest priority of the machine. */
function busyThreads() {
  setPriority(19);
  for (let n = 0; n < availableParallelism() * 9; n++) new Worker('for (;;);', { eval: true });
}
