/**
 * `npm run example:chat`, `npm run example:agent`: runs an example with the packages of this repository as they stand, on the
 * server that PARLEY_URL names, or on one of its own. What an example needs beside them, and the root has not, is
 * installed into its own folder.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './parts.mjs';
import './build.mjs';

const [name, ...args] = process.argv.slice(2);
const folder = join(root, 'examples', name);
const programs = {
  'chat-react': ['vite', '--strictPort', ...args],
  agent: [process.execPath, 'agent.js', ...args],
};
const children = [];

if (name === 'agent' && !existsSync(join(folder, 'node_modules/ai'))) {
  // The packages of this repository are linked; nothing is written down.
  const install = ['install', '--no-save', '--no-package-lock', '--no-audit', '--no-fund', '../../packages/context'];
  const code = await ended(start('npm', install));
  if (code !== 0) process.exit(code);
}
if (process.env.PARLEY_URL === undefined) {
  const server = start(process.execPath, [join(root, 'dist/main.js')], {
    cwd: root,
    env: { PORT: '0', ...process.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.env.PARLEY_URL = await readyAt(server);
}
const [program, ...rest] = programs[name];
process.exitCode = await ended(start(program, rest));
for (const child of children) child.kill();

function start(command, commandArgs, options = {}) {
  const child = spawn(command, commandArgs, { cwd: folder, stdio: 'inherit', ...options });
  children.push(child);
  return child;
}

/** Where a server listens, once it is ready. */
function readyAt(server) {
  return new Promise((resolve) => {
    let printed = '';
    server.stdout.setEncoding('utf8').on('data', (text) => {
      process.stdout.write(text);
      printed += text;
      const url = /^Parley is ready\. .* (http:\/\/\S+)$/m.exec(printed)?.[1];
      if (url !== undefined) resolve(new URL(url).origin);
    });
    server.once('exit', (code) => process.exit(code ?? 1));
  });
}

function ended(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

// Ctrl-C reaches the whole group; a supervisor's signal is passed on.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => children.forEach((child) => child.kill(signal)));
