/** Starts the process: configuration, signals, exit codes. */
import { readConfig } from './config.js';
import { offerDemo } from './demo/offer-demo.js';
import { createServer } from './server.js';

async function main(): Promise<void> {
  const config = readConfig();
  if (config.demo) await offerDemo(config.databaseUrl);
  const { databaseUrl, host, port } = config;
  const server = await createServer({ databaseUrl, host, port });
  const url = await server.start();
  console.log(`Parley is ready. GraphiQL and the GraphQL endpoint: ${url}`);

  const stop = () => {
    server.stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

function fail(error: unknown): never {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

main().catch(fail);
