/** `parley start`: the process of a server, with its signals and exit codes. */
import { createRequire } from 'node:module';
import { readServerConfig } from '../../config.js';
import { parseDatabaseUrl } from '../../database/connection/database-url.js';
import { createServer, type ParleyServer } from '../../server.js';
import { createLogger, type Logger } from '../../features/all-features.js';
import { EXIT, type CommandContext, type CommandDefinition } from '../../command/command.js';
import type { Terminal } from '../../command/terminal.js';

const { version } = createRequire(import.meta.url)('../../../package.json') as { version: string };

/** Milliseconds after a signal in which a start must end, before the signal ends the process. */
const START_END_MS = 2_000;

const DESCRIPTION =
  'Starts the server. Its settings are environment variables, such as PORT and DATABASE_URL: README.md lists the common ' +
  'ones, docs/operations.md all of them.';

export const command: CommandDefinition = {
  define: (command) => command.description(DESCRIPTION),
  read: () => ({}),
  run: (_, context) => runServer(context),
};

/** @returns the exit code, after a signal has stopped the server */
async function runServer({ terminal, environment }: CommandContext): Promise<number> {
  const { logLevel: level, ...config } = readServerConfig(environment);
  const isDevelopment = config.auth === undefined;
  // A terminal shows few lines; a service logs every operation.
  const logger = createLogger({ level, operationLevel: isDevelopment ? 'debug' : 'info' });
  const { log, logError, logOperation, logRequest, logLife } = logger;
  const starting = new AbortController();
  let overdue: NodeJS.Timeout | undefined;
  const endStart = (signal: NodeJS.Signals) => {
    starting.abort();
    // A blocked call of the file system would delay process.exit, too.
    overdue = setTimeout(() => process.kill(process.pid, signal), START_END_MS);
  };
  // A second signal ends the process at once.
  process.once('SIGTERM', endStart).once('SIGINT', endStart);
  const server = await createServer({
    ...config,
    signal: starting.signal,
    log,
    logError,
    logOperation,
    logRequest,
  }).catch((error: unknown) => {
    if (!starting.signal.aborted) throw error;
    return null;
  });
  clearTimeout(overdue);
  process.off('SIGTERM', endStart).off('SIGINT', endStart);
  if (server === null || starting.signal.aborted) {
    await server?.stop();
    logLife('Stopped');
    return EXIT.done;
  }
  // Node would print the error with its properties, which may contain parts of messages.
  process.on('uncaughtException', (error) => {
    logger.logEnd(error);
    process.exit(EXIT.failed);
  });
  // Handlers are installed before a client can see the server.
  const stopped = stopOnSignal(server, logger, terminal);
  const start = async () => {
    const url = await server.start();
    const mode = isDevelopment ? 'development' : 'production';
    const database = parseDatabaseUrl(config.databaseUrl).provider;
    logLife('Started', { version, node: process.version, mode, address: url, database });
    terminal.out(`Parley is ready. Explorer: ${new URL('/', url).href} · GraphiQL and GraphQL: ${url}`);
    if (isDevelopment) {
      terminal.out(
        'Development mode: every client on this machine is an admin. Set AUTH_JWT_SECRET or AUTH_JWKS_URL to require tokens.',
      );
    }
    return stopped;
  };
  return Promise.race([stopped, start()]);
}

/** The exit code after the first SIGTERM or SIGINT; the second one ends the process at once. */
function stopOnSignal(server: ParleyServer, { logLife, logEnd }: Logger, terminal: Terminal): Promise<number> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals) => {
      logLife('Stopping', { signal });
      // After the terminal's own ^C.
      if (signal === 'SIGINT') {
        terminal.out('\nGoodbye. Running operations are finished first; Ctrl-C again ends them at once.');
      }
      server.stop().then(
        () => {
          logLife('Stopped');
          resolve(EXIT.done);
        },
        (error: unknown) => {
          logEnd(error);
          resolve(EXIT.failed);
        },
      );
    };
    process.once('SIGTERM', stop);
    process.once('SIGINT', stop);
  });
}
