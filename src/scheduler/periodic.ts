export interface PeriodicOptions {
  intervalMs: number;
  /** Handles the error of a run. The next run retries. */
  onError: (error: unknown) => void;
}

/** Runs a task at intervals, one run at a time. It does not keep the process alive. */
export class Periodic {
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | null = null;

  constructor(
    private readonly task: () => Promise<void>,
    private readonly options: PeriodicOptions,
  ) {
    this.#timer = setInterval(() => void this.run(), options.intervalMs);
    this.#timer.unref();
  }

  /** Runs the task now, unless it is running. Settles at the end of the run. */
  run(): Promise<void> {
    this.#running ??= this.task()
      .catch(this.options.onError)
      .finally(() => (this.#running = null));
    return this.#running;
  }

  /** Settles when the last run has ended. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }
}
