/**
 * The audit log: JSON lines in a file or on a standard stream, or records for an OpenTelemetry collector, in order. A
 * failed write does not fail operations: lines that cannot wait are lost and counted, and readiness shows the problem
 * until a write succeeds.
 */
import { openSink, SinkUnavailableError, type Sink } from './audit-sinks.js';
import type { AuditCaller, AuditedUser, Auditor, AuditRecord } from '../../audit.js';
import { OperationRecord } from './operation-record.js';
import { openOtlpSink } from './otlp-sink.js';

export interface AuditLogOptions {
  /** `stdout`, `stderr`, `otlp`, or the path of a file. */
  target: string;
  /** URL of the collector's logs for the target `otlp`, such as http://127.0.0.1:4318/v1/logs. */
  endpoint?: string | undefined;
  /** Name of the service for the collector. @default 'parley' */
  serviceName?: string | undefined;
  /** Receives a line when writing fails, and when it works again. */
  log: (line: string) => void;
}

/** Maximum length of the lines that wait for the disk or the collector. */
const MAX_BUFFERED_CHARACTERS = 8 * 1024 * 1024;

/** Milliseconds to wait for the last lines at the end. */
const LAST_WRITE_MS = 5_000;

/** Milliseconds between attempts to write lines that are kept. */
const RETRY_MS = 5_000;

export class AuditLog implements Auditor {
  #waiting: string[] = [];
  #characters = 0;
  #writing: Promise<void> | null = null;
  /** Lines of the running write. */
  #inFlight = 0;
  #isClosing = false;
  /** Ends the pause before the next attempt. */
  #endPause = () => {};
  #problem: string | null = null;
  /** Whether the problem loses lines. */
  #isLosing = false;
  #written = 0;
  #lost = 0;

  private constructor(
    private readonly sink: Sink,
    private readonly options: AuditLogOptions,
  ) {}

  /** @throws Error when the file cannot be opened, or OpenTelemetry is not installed */
  static async open(options: AuditLogOptions): Promise<AuditLog> {
    const { target, endpoint, serviceName } = options;
    return new AuditLog(
      target === 'otlp' ? await openOtlpSink({ endpoint, serviceName }) : await openSink(target),
      options,
    );
  }

  /** Written and lost lines since start, and those that wait. */
  get counts(): { written: number; lost: number; waiting: number } {
    return { written: this.#written, lost: this.#lost, waiting: this.#waiting.length + this.#inFlight };
  }

  get problem(): string | null {
    return this.#problem;
  }

  begin(user: AuditedUser, caller: AuditCaller): AuditRecord {
    return new OperationRecord((lines) => this.#add(lines), user, caller);
  }

  /** Also logs how many lines are lost. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#endPause();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, LAST_WRITE_MS)));
    await Promise.race([(this.#writing ?? Promise.resolve()).then(() => this.sink.close()), late]);
    clearTimeout(timer);
    const { waiting } = this.counts;
    if (waiting === 0) return;
    this.#waiting = [];
    this.#inFlight = 0;
    this.#lost += waiting;
    this.options.log(`The audit log is closed; its last ${waiting} lines were not written`);
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
      const wasClosing = this.#isClosing;
      const lines = this.#waiting.splice(0, this.sink.maxLines ?? Infinity);
      this.#inFlight = lines.length;
      try {
        await this.sink.write(lines);
        this.#written += this.#inFlight;
        if (this.#problem !== null) this.options.log(`The audit log is written again; ${this.#lost} lines were lost`);
        this.#problem = null;
        this.#isLosing = false;
      } catch (error) {
        if (error instanceof SinkUnavailableError) {
          if (this.#inFlight > 0) this.#waiting.unshift(...lines);
          this.#inFlight = 0;
          this.#report(`The audit log waits for the collector: ${error.message}`, false);
          // The lines that remain are lost by close.
          if (wasClosing) return;
          await this.#pause();
        } else this.#lose(this.#inFlight, String((error as NodeJS.ErrnoException).code ?? 'unknown error'));
      }
      this.#inFlight = 0;
      this.#characters = this.#waiting.reduce((sum, { length }) => sum + length, 0);
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#isClosing ? 0 : RETRY_MS);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #lose(count: number, reason: string): void {
    this.#lost += count;
    this.#report(`The audit log loses lines: ${reason}`, true);
  }

  /** Logs the first problem, and the first loss. */
  #report(problem: string, isLoss: boolean): void {
    if (this.#isLosing && !isLoss) return;
    if (this.#problem === null || this.#isLosing !== isLoss) this.options.log(problem);
    this.#isLosing = isLoss;
    this.#problem = problem;
  }
}
