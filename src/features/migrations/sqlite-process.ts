/** A process that runs the statements of migrations on a SQLite file: see sqlite-migration.js. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./sqlite-migration.js', import.meta.url));

type Row = Record<string, unknown>;
type Result = { rows: Row[] } | { failure: string };

export class SqliteProcess {
  readonly #child;
  readonly #ended: Promise<unknown>;

  /** @param signal kills the process, so that SQLite rolls its transaction back */
  constructor(
    path: string,
    lockTimeoutMs: number,
    private readonly signal: AbortSignal | undefined,
  ) {
    signal?.throwIfAborted();
    // Without the options of this process, such as a debugger's port.
    this.#child = fork(PROGRAM, [path, String(lockTimeoutMs)], { execArgv: [] });
    this.#ended = once(this.#child, 'exit').catch(() => {});
    signal?.addEventListener('abort', this.#kill);
  }

  readonly #kill = () => void this.#child.kill('SIGKILL');

  /** @throws Error of SQLite, or when the process has ended */
  async run(command: { text: string; values?: unknown[] }): Promise<Row[]> {
    const answer = once(this.#child, 'message') as Promise<[Result]>;
    const ended = this.#ended.then((): never => {
      this.signal?.throwIfAborted();
      throw new Error('the process of the migration ended');
    });
    answer.catch(() => {});
    this.#child.send(command, () => {});
    const [result] = await Promise.race([answer, ended]);
    if ('failure' in result) throw new Error(result.failure);
    return result.rows;
  }

  /** Ends the process, which rolls back what is not committed. */
  async end(): Promise<void> {
    this.signal?.removeEventListener('abort', this.#kill);
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
  }
}
