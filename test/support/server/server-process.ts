/** The built server in a child process, called over real sockets. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { httpClient, type HttpClient } from './http-client.js';
import { FILES_SECRET } from './tokens.js';

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));
const READY = /^Parley is ready\. .* (http:\/\/\S+)\n/m;

export interface Settings {
  DATABASE_URL: string;
  READ_DATABASE_URL?: string;
  MIGRATE_ON_START?: 'true';
  /** @default a free port */
  PORT?: string;
  HOST?: string;
  /** @default 'off'; 'default' leaves the variable unset */
  DEMO?: 'on' | 'off' | 'default';
  REDIS_URL?: string;
  SWEEP_INTERVAL_MS?: string;
  FILES_URL?: string;
  /** @default the same secret for all servers; '' for none */
  FILES_SECRET?: string;
  WEBHOOKS?: string;
  ALLOWED_ORIGINS?: string;
  SOCKET_BUFFER_BYTES?: string;
  SHUTDOWN_TIMEOUT_MS?: string;
  LOG_LEVEL?: string;
  /** Arguments of Node. */
  NODE_OPTIONS?: string;
  /** A setting of the C library. */
  MALLOC_MMAP_THRESHOLD_?: string;
  AUTH_JWT_SECRET?: string;
  AUTH_JWKS_URL?: string;
  AUTH_ISSUER?: string;
  AUTH_AUDIENCE?: string;
  METRICS_PORT?: string;
  AUDIT_LOG?: string;
  IMPORT_MEMORY_BYTES?: string;
  REQUEST_TIMEOUT_MS?: string;
  QUERY_TIMEOUT_MS?: string;
  RATE_LIMIT_PER_ADDRESS?: string;
  RATE_LIMIT_PER_USER?: string;
  MAX_CONNECTIONS_PER_ADDRESS?: string;
  MAX_SOCKETS_PER_ADDRESS?: string;
  TRUSTED_PROXIES?: string;
  /** The folder for files of imports. */
  TMPDIR?: string;
  TRUSTED_DOCUMENTS?: string;
  TRUSTED_DOCUMENTS_MANIFEST?: string;
  WEBHOOKS_FILE?: string;
}

/** The resource limits of a process. */
export interface Limits {
  /** The program and its arguments. @default the server of dist/ */
  command?: readonly string[];
  /** The limit of open files and connections. */
  openFiles?: number;
  /** The size limit of a file, which simulates a full disk: a multiple of 512. */
  fileBytes?: number;
}

/** The exit of a process, and its output. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface ServerProcess extends HttpClient {
  /** The GraphQL endpoint. */
  url: string;
  pid: number;
  /** The log so far. */
  stderr(): string;
  /** Settles when the process has ended. */
  exited: Promise<Exit>;
  kill(signal: NodeJS.Signals): void;
}

/** Registers a cleanup for the end of a process, however the test ends. */
type WhenOver = (end: () => Promise<void>) => void;

/**
 * Starts the server of dist/ until the end of the test.
 * @param limits its resource limits
 * @param folder of another build
 * @throws Error with its output when it ends before it is ready
 */
export async function startServer(
  settings: Settings,
  limits: Limits = {},
  whenOver: WhenOver = onTestFinished,
  folder = PROJECT,
): Promise<ServerProcess> {
  const { pid, stderr, ready, exited, kill } = spawnServer(settings, limits, whenOver, folder);
  const url = await ready;
  if (url === null) {
    const { code, signal, stderr } = await exited;
    throw new Error(`The server ended with ${signal ?? code} before it was ready:\n${stderr}`);
  }
  return { url, pid, stderr, exited, kill, ...httpClient(url) };
}

/** Starts one for all tests of the calling file. */
export function shareServer(settings: () => Settings): () => ServerProcess {
  let server: ServerProcess;
  const ends: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    server = await startServer(settings(), {}, (end) => void ends.push(end));
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });
  return () => server;
}

/** Starts a server that fails to start, and returns its exit. */
export async function failToStart(settings: Settings): Promise<Exit> {
  const { ready, exited } = spawnServer(settings, {}, onTestFinished);
  const url = await ready;
  if (url !== null) throw new Error(`The server started instead of failing, at ${url}`);
  return exited;
}

/** Starts the server without waiting until it is ready. */
export function spawnServer(
  { DEMO = 'off', ...settings }: Settings,
  limits: Limits = {},
  whenOver: WhenOver = onTestFinished,
  folder = PROJECT,
) {
  const { openFiles, fileBytes, command = [process.execPath, 'dist/main.js'] } = limits;
  const ulimits = [
    ...(openFiles === undefined ? [] : [`ulimit -n ${openFiles}`]),
    ...(fileBytes === undefined ? [] : [`ulimit -f ${fileBytes / 512}`]),
  ];
  const [program, ...rest] = ['sh', '-c', [...ulimits, 'exec "$0" "$@"'].join(' && '), ...command] as const;
  const child = spawn(program, rest, {
    cwd: folder,
    // The tests' own environment is not passed on.
    env: { PORT: '0', FILES_SECRET, ...settings, ...(DEMO === 'default' ? {} : { DEMO }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (output[name] += text));
  }
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, ...output }));
  });
  /** Null if the process ends first. */
  const ready = new Promise<string | null>((resolve, reject) => {
    child.stdout.on('data', () => {
      const url = READY.exec(output.stdout)?.[1];
      if (url !== undefined) resolve(url);
    });
    exited.then(() => resolve(null), reject);
  });
  const kill = (signal: NodeJS.Signals) => void child.kill(signal);
  whenOver(async () => {
    kill('SIGKILL');
    await exited;
  });
  if (child.pid === undefined) throw new Error(`${process.execPath} could not be started`);
  return { pid: child.pid, stderr: () => output.stderr, ready, exited, kill };
}
