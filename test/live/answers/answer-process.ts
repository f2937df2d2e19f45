/** A process with an answer handler, which can be killed and restarted on another port. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const SCRIPT = fileURLToPath(new URL('answer-process.mjs', import.meta.url));

export class AnswerProcess {
  #child: ChildProcess;
  #api: Promise<string>;

  /** @param url of Parley */
  constructor(private readonly url: string) {
    this.#child = this.#spawn();
    this.#api = apiOf(this.#child);
    onTestFinished(() => this.#kill());
  }

  /** The address of the handler; settles when the process is ready. */
  get api(): Promise<string> {
    return this.#api;
  }

  async killAndStartAgain(): Promise<void> {
    await this.#api;
    await this.#kill();
    this.#child = this.#spawn();
    this.#api = apiOf(this.#child);
  }

  async #kill(): Promise<void> {
    const closed = once(this.#child, 'close');
    this.#child.kill('SIGKILL');
    await closed;
  }

  #spawn(): ChildProcess {
    return spawn(process.execPath, [SCRIPT, this.url], { env: {}, stdio: ['ignore', 'pipe', 'inherit'] });
  }
}

async function apiOf({ stdout }: ChildProcess): Promise<string> {
  const [port] = (await once(stdout!, 'data')) as [Buffer];
  return `http://127.0.0.1:${String(port).trim()}/api/chat`;
}
