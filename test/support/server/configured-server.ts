/** The server as the process makes it of its settings, in this process: what it logs is kept, and starts in no time. */
import { onTestFinished } from 'vitest';
import { readServerConfig } from '../../../src/config.js';
import { createServer } from '../../../src/server.js';
import { createLogger } from '../../../src/telemetry/logger.js';
import { httpClient, type HttpClient } from './http-client.js';
import type { Settings } from './server-process.js';

export interface ConfiguredServer extends HttpClient {
  /** Where GraphQL is served. */
  url: string;
  /** What it has logged so far. */
  log(): string;
  /** Settles when it has stopped, as a process has that was told to. */
  stop(): Promise<void>;
}

/**
 * Starts it; it stops with the test at the latest.
 * @throws Error with what the process would say on stderr, and end
 */
export async function startConfigured({ DEMO = 'off', ...settings }: Settings): Promise<ConfiguredServer> {
  const given = { PORT: '0', ...settings, ...(DEMO === 'default' ? {} : { DEMO }) };
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
