import { availableParallelism } from 'node:os';
import type { Sql } from 'sql-template-tag';
import { Tinypool } from 'tinypool';
import type { Caller } from '../../scheduler/fair-queue.js';
import { FairLimiter } from '../../scheduler/fair-limiter.js';
import type { Bytes } from '../../conversation/json-lists.js';
import { observed, type ReportStatement } from '../connection/observed-statement.js';

/** Leaves one core to the main thread; more workers would compete for the file. */
const MAX_THREADS = Math.min(4, Math.max(1, availableParallelism() - 1));
const IDLE_MS = 60_000;
/** The worker's heap limit in MiB: it holds rows, but not JSON text. */
const HEAP_MIB = 512;

type Answer =
  | { rows: object[] }
  | { memory: SharedArrayBuffer; length: number }
  | { failure: { message: string; code?: unknown } };

/**
 * Workers that read a SQLite file, each on its own connection, started on demand. A crashed worker fails its statement
 * and is replaced.
 */
export class SqliteThreads {
  #pool: Tinypool | undefined;
  readonly #memory = new BufferPool();
  readonly #limiter = new FairLimiter({ concurrency: MAX_THREADS });

  /** @param pragmas settings of each connection */
  constructor(
    private readonly path: string,
    private readonly pragmas: readonly string[],
    private readonly report?: ReportStatement,
    private readonly heapMiB = HEAP_MIB,
  ) {}

  /**
   * The rows of a statement.
   * @throws Error with the driver's code, or the worker's own after a crash
   */
  async rows<T extends object>(statement: Sql, caller?: Caller): Promise<T[]> {
    const answer = await this.#run(statement, caller);
    return 'rows' in answer ? (answer.rows as T[]) : [];
  }

  /**
   * The bytes in the only column of a statement's only row; null when there are none.
   * @throws like `rows`
   */
  async bytes(statement: Sql, caller?: Caller): Promise<Bytes | null> {
    const memory = this.#memory.take();
    const answer = await this.#run(statement, caller, { memory, margin: MARGIN_BYTES });
    if ('memory' in answer) return this.#memory.lend(answer.memory, answer.length);
    if (memory !== null) this.#memory.lend(memory, 0).release();
    return null;
  }

  #run(statement: Sql, caller?: Caller, into?: { memory: SharedArrayBuffer | null; margin: number }): Promise<Answer> {
    const text = statement.sql;
    const task = { path: this.path, pragmas: this.pragmas, text, values: statement.values, into };
    const run = async () => {
      const answer = (await this.#open().run(task)) as Answer;
      if ('failure' in answer) throw Object.assign(new Error(answer.failure.message), { code: answer.failure.code });
      return answer;
    };
    return this.#limiter.run(caller, () => observed(this.report, 'read', text, run));
  }

  async close(): Promise<void> {
    await this.#pool?.destroy();
  }

  #open(): Tinypool {
    this.#pool ??= new Tinypool({
      filename: new URL('./sqlite-thread.js', import.meta.url).href,
      // Crashed workers are replaced immediately, up to this number.
      minThreads: 1,
      maxThreads: MAX_THREADS,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: this.heapMiB },
    });
    return this.#pool;
  }
}

/** Free bytes at each end of a buffer, for the parts of a response before and after the list. */
const MARGIN_BYTES = 16 * 1024;

const MAX_POOLED_BUFFERS = 6;
const MAX_POOLED_BUFFER_BYTES = 16 * 1024 ** 2;

/**
 * Shared buffers for long results of worker threads. Ordinary ones would cause a 20 ms garbage collection of the main thread
 * per 13 MB; shared ones do not count.
 */
class BufferPool {
  readonly #free: SharedArrayBuffer[] = [];

  take(): SharedArrayBuffer | null {
    return this.#free.pop() ?? null;
  }

  /** The bytes after the margin. The buffer is reused after release. */
  lend(memory: SharedArrayBuffer, length: number): Bytes {
    const whole = Buffer.from(memory);
    let isInUse = true;
    return {
      bytes: whole.subarray(MARGIN_BYTES, MARGIN_BYTES + length),
      within: (before, after) => {
        const start = MARGIN_BYTES - Buffer.byteLength(before);
        if (!isInUse || start < 0 || MARGIN_BYTES + length + Buffer.byteLength(after) > memory.byteLength) return null;
        whole.write(before, start);
        return whole.subarray(start, MARGIN_BYTES + length + whole.write(after, MARGIN_BYTES + length));
      },
      release: () => {
        if (isInUse && memory.byteLength <= MAX_POOLED_BUFFER_BYTES && this.#free.length < MAX_POOLED_BUFFERS)
          this.#free.push(memory);
        isInUse = false;
      },
    };
  }
}
