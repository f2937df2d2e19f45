/** A server in the test's process, started from environment settings. Its log is recorded. */
import { onTestFinished } from 'vitest';
import { readServerConfig } from '../../../src/config.js';
import { createServer } from '../../../src/server.js';
import { createLogger } from '../../../src/features/telemetry/logger.js';
import { httpClient, type HttpClient } from './http-client.js';
import type { Settings } from './server-process.js';
import { FILES_SECRET } from './tokens.js';

export interface ConfiguredServer extends HttpClient {
  /** The GraphQL endpoint. */
  url: string;
  /** The log so far. */
  log(): string;
  /** Settles after a graceful stop. */
  stop(): Promise<void>;
}

/**
 * Starts a server until the end of the test.
 * @throws Error with the text that the process would print before it exits
 */
export async function startConfigured({ DEMO = 'off', ...settings }: Settings): Promise<ConfiguredServer> {
  const given = { PORT: '0', FILES_SECRET, ...settings, ...(DEMO === 'default' ? {} : { DEMO }) };
  const { logLevel: level, ...config } = readServerConfig(given);
  let logged = '';
  const destination = { write: (line: string) => void (logged += line) };
  const operationLevel = config.auth === undefined ? 'debug' : 'info';
  const server = await createServer({ ...config, ...createLogger({ level, operationLevel, destination }) });
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= server.stop());
  onTestFinished(stop);
  const url = await server.start();
  return { url, log: () => logged, stop, ...httpClient(url) };
}
