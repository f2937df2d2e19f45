export interface SweepOptions {
  sweepIntervalMs: number;
  /** Handles the error of a sweep or a read. The next sweep retries. */
  onError: (error: unknown) => void;
}

/** Reads changes at intervals, because a bus may lose notifications. Two sweeps never overlap. */
export class Sweeps {
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> | null = null;

  /** @param sweep reads all followed chats */
  constructor(
    private readonly sweep: () => Promise<unknown>,
    private readonly options: SweepOptions,
  ) {}

  start(): void {
    this.#timer ??= setInterval(() => {
      if (this.#sweeping === null) void this.run();
    }, this.options.sweepIntervalMs);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Sweeps after the sweep that is running. Settles when done; never rejects. */
  run(): Promise<void> {
    const sweeping = (this.#sweeping ?? Promise.resolve())
      .then(this.sweep)
      .then(() => {}, this.options.onError)
      .finally(() => {
        if (this.#sweeping === sweeping) this.#sweeping = null;
      });
    this.#sweeping = sweeping;
    return sweeping;
  }
}
