import { availableParallelism } from 'node:os';
import type { Sql } from 'sql-template-tag';
import { Tinypool } from 'tinypool';
import type { Caller } from '../../../scheduler/fair-queue.js';
import { FairLimiter } from '../../../scheduler/fair-limiter.js';
import type { Bytes } from '../../../conversation/reads.js';
import { observed, type TellStatement } from '../observed-statement.js';
import { BufferPool, MARGIN_BYTES } from './buffer-pool.js';

/** As many as leave a core to the thread that serves everybody; more would wait for each other's reads of the file. */
const MAX_THREADS = Math.min(4, Math.max(1, availableParallelism() - 1));
/** How long a thread waits for more to do before it ends, in milliseconds. */
const IDLE_MS = 60_000;
/** How large its heap may become, in MiB: rows that a statement answers are in it, texts of JSON are not. */
const HEAP_MIB = 512;

/** What a thread answers: see sqlite-thread.js. */
type Answer =
  { rows: object[] } | { memory: SharedArrayBuffer; length: number } | { failure: { message: string; code?: unknown } };

/**
 * Threads that read a SQLite file, each on a connection of its own. They begin with the first statement. One that dies takes
 * the statement that it runs with it, and is replaced.
 */
export class SqliteThreads {
  #pool: Tinypool | undefined;
  readonly #memory = new BufferPool();
  readonly #limiter = new FairLimiter({ concurrency: MAX_THREADS });

  /** @param pragmas settings of each connection */
  constructor(
    private readonly path: string,
    private readonly pragmas: readonly string[],
    private readonly tell?: TellStatement,
    private readonly heapMiB = HEAP_MIB,
  ) {}

  /** The rows of a statement. @throws Error with the driver's code, or the thread's own when it has died */
  async rows<T extends object>(statement: Sql, caller?: Caller): Promise<T[]> {
    const answer = await this.#run(statement, caller);
    return 'rows' in answer ? (answer.rows as T[]) : [];
  }

  /** The bytes in the only column of a statement's only row; null when there are none. @throws as `rows` does */
  async bytes(statement: Sql, caller?: Caller): Promise<Bytes | null> {
    const memory = this.#memory.take();
    const answer = await this.#run(statement, caller, { memory, room: MARGIN_BYTES });
    if ('memory' in answer) return this.#memory.lend(answer.memory, answer.length);
    if (memory !== null) this.#memory.lend(memory, 0).giveBack();
    return null;
  }

  #run(statement: Sql, caller?: Caller, into?: { memory: SharedArrayBuffer | null; room: number }): Promise<Answer> {
    const text = statement.sql;
    const task = { path: this.path, pragmas: this.pragmas, text, values: statement.values, into };
    const run = async () => {
      const answer = (await this.#open().run(task)) as Answer;
      if ('failure' in answer) throw Object.assign(new Error(answer.failure.message), { code: answer.failure.code });
      return answer;
    };
    return this.#limiter.run(caller, () => observed(this.tell, 'read', text, run));
  }

  async close(): Promise<void> {
    await this.#pool?.destroy();
  }

  #open(): Tinypool {
    this.#pool ??= new Tinypool({
      filename: new URL('./sqlite-thread.js', import.meta.url).href,
      // One that died is replaced up to this number at once, also for what waits already.
      minThreads: 1,
      maxThreads: MAX_THREADS,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: this.heapMiB },
    });
    return this.#pool;
  }
}
