/** A server that is killed and restarted at the same address. */
import { freePort } from '../../support/server/free-port.js';
import { startServer, type Exit, type ServerProcess, type Settings } from '../../support/server/server-process.js';

export class RestartableServer {
  private constructor(
    private process: ServerProcess,
    private readonly settings: Settings,
  ) {}

  static async start(settings: Settings): Promise<RestartableServer> {
    const fixed = { ...settings, PORT: String(await freePort()) };
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
