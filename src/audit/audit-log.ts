/**
 * The audit log: JSON lines in a file or on a standard stream, in order. A failed write does not fail operations: the
 * lines are lost and counted, and readiness shows the problem until a write succeeds.
 */
import { openSink, type Sink } from './audit-sinks.js';
import type { AuditCaller, AuditedUser } from './audit-entry.js';
import { AuditRecord } from './audit-record.js';

export interface AuditLogOptions {
  /** `stdout`, `stderr`, or the path of a file. */
  target: string;
  /** Receives a line when writing fails, and when it works again. */
  log: (line: string) => void;
}

const RETENTION: AuditedUser = { userId: 'retention', isAdmin: false };

/** Maximum length of the lines that wait for the disk. */
const MAX_BUFFERED_CHARACTERS = 8 * 1024 * 1024;

/** Milliseconds to wait for the last lines at the end. */
const LAST_WRITE_MS = 5_000;

export class AuditLog {
  #waiting: string[] = [];
  #characters = 0;
  #writing: Promise<void> | null = null;
  #problem: string | null = null;
  #written = 0;
  #lost = 0;

  private constructor(
    private readonly sink: Sink,
    private readonly options: AuditLogOptions,
  ) {}

  /** @throws Error when the file cannot be opened */
  static async open(options: AuditLogOptions): Promise<AuditLog> {
    return new AuditLog(await openSink(options.target), options);
  }

  /** Written and lost lines since start. */
  get counts(): { written: number; lost: number } {
    return { written: this.#written, lost: this.#lost };
  }

  /** Why lines are being lost; null while they are written. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Begins the record of an operation. */
  begin(user: AuditedUser, caller: AuditCaller): AuditRecord {
    return new AuditRecord((lines) => this.#add(lines), user, caller);
  }

  /** Records the deletion of a chat whose retention has ended. */
  expired({ id, userId }: { id: string; userId: string }): void {
    const record = this.begin(RETENTION, { requestId: null, address: null, route: RETENTION.userId });
    record.done({ event: 'chat.deleted', chatIds: [id], target: userId });
    record.end();
  }

  /** Writes the last lines. Settles within seconds; never rejects. */
  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, LAST_WRITE_MS)));
    await Promise.race([(this.#writing ?? Promise.resolve()).then(() => this.sink.close()), late]);
    clearTimeout(timer);
  }

  #add(lines: readonly string[]): void {
    for (const line of lines) {
      if (this.#characters + line.length > MAX_BUFFERED_CHARACTERS) {
        this.#lose(1, `more than ${MAX_BUFFERED_CHARACTERS} characters wait`);
        continue;
      }
      this.#waiting.push(line);
      this.#characters += line.length;
    }
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = null));
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      this.#waiting = [];
      try {
        await this.sink.write(lines.join(''));
        this.#written += lines.length;
        if (this.#problem !== null) this.options.log(`The audit log is written again; ${this.#lost} lines were lost`);
        this.#problem = null;
      } catch (error) {
        this.#lose(lines.length, String((error as NodeJS.ErrnoException).code ?? 'unknown error'));
      }
      this.#characters = this.#waiting.reduce((sum, { length }) => sum + length, 0);
    }
  }

  #lose(count: number, reason: string): void {
    this.#lost += count;
    if (this.#problem === null) this.options.log(`The audit log loses lines: ${reason}`);
    this.#problem = `The audit log loses lines: ${reason}`;
  }
}
