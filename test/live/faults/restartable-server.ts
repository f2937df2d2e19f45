/** A server that is killed, and comes back at the same address. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { startServer, type Exit, type ServerProcess, type Settings } from '../../support/server-process.js';

export class RestartableServer {
  private constructor(
    private process: ServerProcess,
    private readonly settings: Settings,
  ) {}

  static async start(settings: Settings): Promise<RestartableServer> {
    const fixed = { ...settings, PORT: String(await lowPort()) };
    return new RestartableServer(await startServer(fixed), fixed);
  }

  get url(): string {
    return this.process.url;
  }

  get pid(): number {
    return this.process.pid;
  }

  readonly run: ServerProcess['run'] = (document, variables) => this.process.run(document, variables);

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<Exit> {
    this.process.kill(signal);
    return this.process.exited;
  }

  async startAgain(): Promise<void> {
    this.process = await startServer(this.settings);
  }
}

/** A free port that no connection is given by itself: while the server is down, one of its clients might get it. */
async function lowPort(): Promise<number> {
  for (;;) {
    const probe = createServer().listen(20_000 + Math.floor(Math.random() * 10_000), '127.0.0.1');
    const [port] = await Promise.race([
      once(probe, 'listening').then(() => [(probe.address() as { port: number }).port]),
      once(probe, 'error').then(() => []),
    ]).catch(() => []);
    if (port === undefined) continue;
    await once(probe.close(), 'close');
    return port;
  }
}
