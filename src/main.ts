/** Starts the process: configuration, signals, exit codes. */
import { readConfig } from './config.js';
import { createServer } from './server.js';

async function main(): Promise<void> {
  const server = await createServer(readConfig());
  // Before anybody can know that it runs.
  const stop = () => {
    server.stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  const url = await server.start();
  console.log(`Parley is ready. GraphiQL and the GraphQL endpoint: ${url}`);
}

function fail(error: unknown): never {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

main().catch(fail);
