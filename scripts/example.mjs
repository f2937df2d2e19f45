/**
 * `npm run example:chat`, `example:agent`, `example:context`, `example:next`: runs an example with the packages of this repository, on the server of
 * PARLEY_URL, or on a server of its own. Packages that the root does not have are installed into the folder of the example.
 * `npm run example:usage` needs no server: it reads the database of DATABASE_URL.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './parts.mjs';
import './build.mjs';

const [name, ...args] = process.argv.slice(2);
const folder = join(root, 'examples', name);
const programs = {
  'chat-react': ['vite', '--strictPort', ...args],
  agent: [process.execPath, 'agent.js', ...args],
  context: [process.execPath, 'context.js', ...args],
  'usage-report': [process.execPath, join(folder, 'usage-report.js'), ...args],
};
const needsServer = name !== 'usage-report';
/** The packages that show whether an example is installed, and the packages of this repository that it links. */
const installed = { agent: ['ai', 'context'], 'next-chat': ['next', 'client', 'context'] };
const children = [];

if (name === 'next-chat') programs[name] = prepareNext();
const [marker, ...linked] = installed[name] ?? [];
if (marker !== undefined && !existsSync(join(folder, 'node_modules', marker))) {
  // Links the packages of this repository without changing the manifest.
  const options = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--omit=dev'];
  const code = await ended(start('npm', ['install', ...options, ...linked.map((part) => `../../packages/${part}`)]));
  if (code !== 0) process.exit(code);
}
if (!needsServer) linkServer();
if (needsServer && process.env.PARLEY_URL === undefined) {
  const server = start(process.execPath, [join(root, 'dist/main.js')], {
    cwd: root,
    env: { PORT: '0', ...process.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.env.PARLEY_URL = await readyAt(server);
}
if (!/^(agent|context)$/.test(name) && needsServer)
  console.log("Parley's server is at the addresses above. Open the page of the example:");
const [program, ...rest] = programs[name];
// The path of a SQLite file is relative to the root, as for the server.
process.exitCode = await ended(start(program, rest, needsServer ? {} : { cwd: root }));
for (const child of children) child.kill();

/** Links the server's package and its Prisma packages. */
function linkServer() {
  const link = join(folder, 'node_modules/parley');
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  if (!existsSync(link)) symlinkSync(root, link, 'junction');
}

/** Reads the model from the arguments, and sets the variables of Next.js and the server. */
function prepareNext() {
  const { values } = parseArgs({
    args,
    options: {
      model: { type: 'string', default: 'echo' },
      'base-url': { type: 'string' },
      port: { type: 'string', default: '3000' },
    },
  });
  const secret = () => randomBytes(32).toString('base64');
  const origins = ['127.0.0.1', 'localhost'].map((host) => `http://${host}:${values.port}`);
  process.env.MODEL = values.model;
  if (values['base-url'] !== undefined) process.env.MODEL_BASE_URL = values['base-url'];
  process.env.AUTH_JWT_SECRET ??= secret();
  process.env.SESSION_SECRET ??= secret();
  process.env.ALLOWED_ORIGINS ??= origins.join();
  process.env.NEXT_TELEMETRY_DISABLED = '1';
  // The build of the explorer sets it.
  delete process.env.NODE_ENV;
  return [join(folder, 'node_modules/.bin/next'), 'dev', '--hostname', '127.0.0.1', '--port', values.port];
}

function start(command, commandArgs, options = {}) {
  const child = spawn(command, commandArgs, { cwd: folder, stdio: 'inherit', ...options });
  children.push(child);
  return child;
}

/** The address of a server once it is ready. */
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
