/** Starts the process: configuration, signals, exit codes. */
import { createRequire } from 'node:module';
import { readServerConfig } from './config.js';
import { parseDatabaseUrl } from './database/opening/database-url.js';
import { createServer } from './server.js';
import { createLogger } from './telemetry/logger.js';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

const USAGE = `Usage: npm start

Starts the server. Its settings are environment variables, such as PORT and DATABASE_URL: README.md has those that everybody
needs, docs/operations.md has all.

  --help  shows this`;

async function main(): Promise<void> {
  const { logLevel: level, ...config } = readServerConfig();
  // Whoever tries it at a terminal is not to be flooded; whoever runs it for others wants to know what was asked.
  const logger = createLogger({ level, operationLevel: config.auth === undefined ? 'debug' : 'info' });
  const end = (error: unknown) => {
    logger.logEnd(error);
    process.exit(1);
  };
  const { log, logError, logOperation, logRequest, logLife } = logger;
  const server = await createServer({ ...config, log, logError, logOperation, logRequest });
  // Node itself would print the whole of it, with what somebody may have written.
  process.on('uncaughtException', end);
  // Before anybody can know that it runs.
  const stop = (signal: NodeJS.Signals) => {
    logLife('Stopping', { signal });
    // Behind the terminal's own ^C.
    if (signal === 'SIGINT') console.log('\nGoodbye. What runs is finished first; Ctrl-C again ends it at once.');
    server.stop().then(() => {
      logLife('Stopped');
      process.exit(0);
    }, end);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  const url = await server.start();
  logLife('Started', {
    version,
    node: process.version,
    mode: config.auth === undefined ? 'development' : 'production',
    address: url,
    database: parseDatabaseUrl(config.databaseUrl).provider,
  });
  console.log(`Parley is ready. GraphiQL and the GraphQL endpoint: ${url}`);
  if (config.auth === undefined) {
    console.log(
      'Development mode: everybody on this machine is its admin. Set AUTH_JWT_SECRET or AUTH_JWKS_URL to ask for tokens.',
    );
  }
}

function fail(error: unknown): never {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) console.log(USAGE);
else main().catch(fail);
