/** A HAProxy for one test. Runs the installed haproxy. */
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../temporary-folder.js';

const PLACES = ['/usr/sbin/haproxy', '/usr/bin/haproxy', '/usr/local/sbin/haproxy', '/opt/homebrew/bin/haproxy'];

/** Undefined without an executable. */
export const haproxyPath = PLACES.find((path) => existsSync(path));

/** Appended to the titles of skipped tests. */
export const noHaproxy =
  haproxyPath === undefined ? ' (skipped: no haproxy on this machine; Debian has a package haproxy)' : '';

/** Runs HAProxy with a configuration until the end of the test. */
export function startHaproxy(configuration: string): void {
  const path = join(temporaryFolder(), 'haproxy.cfg');
  writeFileSync(path, configuration);
  const child = spawn(haproxyPath!, ['-db', '-f', path], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
}
