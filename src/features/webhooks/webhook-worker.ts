/**
 * Sends the due deliveries of the configured webhooks. Every server of a database runs one: a delivery is leased before
 * it is sent, so that two servers send it at the same time only if one of them exceeds the lease.
 */
import { DAY_MS } from '../../conversation/bounds.js';
import type { WebhookDeliveries } from './deliveries.js';
import type { AttemptResult } from './statements.js';
import type { WebhookDelivery } from './webhook-events.js';
import { messageOf } from '../../system/message-of.js';
import { Periodic } from '../../scheduler/periodic.js';
import { send, type Received } from './send.js';
import type { Webhook } from './webhook.js';

/** Requests of a server to one webhook at the same time. */
const MAX_CONCURRENT = 8;
/** Milliseconds of a lease after the time limit of its request. */
const LEASE_MARGIN_MS = 10_000;
const LONGEST_PAUSE_MS = 12 * 60 * 60_000;
const PAUSE_FACTOR = 4;
/** Pauses vary by this share in both directions, so that failed requests do not return together. */
const JITTER = 0.2;
const MAX_ERROR_LENGTH = 200;

const DELIVERED_KEPT_MS = 7 * DAY_MS;
const FAILED_KEPT_MS = 30 * DAY_MS;
const REMOVED_PER_STEP = 500;
const REMOVAL_INTERVAL_MS = 60_000;

/** `retried`: it failed and will be repeated. */
export const ATTEMPT_OUTCOMES = ['delivered', 'retried', 'failed'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

export interface WebhookWorkerOptions {
  webhooks: readonly Webhook[];
  records: WebhookDeliveries;
  /** Milliseconds between checks for due deliveries. */
  intervalMs: number;
  /** Receives a line for each delivery that has failed. */
  log: (line: string) => void;
  /** Handles errors of the database. The next check retries. */
  onError: (error: unknown) => void;
  /** Called after each attempt. */
  onAttempt?: ((webhook: string, outcome: AttemptOutcome) => void) | undefined;
}

export class WebhookWorker {
  readonly #queues: readonly WebhookQueue[];
  readonly #checks: Periodic | null;
  readonly #removals: Periodic | null;
  readonly #closing = new AbortController();

  constructor(private readonly options: WebhookWorkerOptions) {
    const { webhooks, intervalMs, onError } = options;
    this.#queues = webhooks.map((webhook) => new WebhookQueue(webhook, options, this.#closing.signal));
    const isUsed = webhooks.length > 0;
    this.#checks = isUsed ? new Periodic(async () => this.wake(), { intervalMs, onError }) : null;
    this.#removals = isUsed
      ? new Periodic(() => this.#removeOld(), { intervalMs: REMOVAL_INTERVAL_MS, onError })
      : null;
  }

  get records(): WebhookDeliveries {
    return this.options.records;
  }

  get names(): string[] {
    return this.options.webhooks.map(({ name }) => name);
  }

  /** Sends what is due now. */
  wake(): void {
    for (const queue of this.#queues) queue.wake();
  }

  /** Aborts the running requests, which are repeated after the next start or by another server. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the server stopped'));
    await Promise.all([this.#checks?.close(), this.#removals?.close(), ...this.#queues.map((queue) => queue.idle())]);
  }

  /** In steps, so that other changes wait for none of them long. */
  async #removeOld(): Promise<void> {
    const now = Date.now();
    const removals = [
      ['DELIVERED', now - DELIVERED_KEPT_MS, []],
      ['FAILED', now - FAILED_KEPT_MS, []],
      // Pending deliveries of webhooks that are no longer configured.
      ['PENDING', now - FAILED_KEPT_MS, this.names],
    ] as const;
    for (const [state, before, except] of removals) {
      let removed = REMOVED_PER_STEP;
      while (removed === REMOVED_PER_STEP && !this.#closing.signal.aborted) {
        removed = await this.options.records.removeOld(state, before, REMOVED_PER_STEP, except);
      }
    }
  }
}

/** The deliveries of one webhook: another one that does not respond has no effect on them. */
class WebhookQueue {
  readonly #running = new Set<Promise<void>>();
  #filling: Promise<void> | null = null;
  #isStale = false;

  constructor(
    private readonly webhook: Webhook,
    private readonly options: WebhookWorkerOptions,
    private readonly closing: AbortSignal,
  ) {}

  wake(): void {
    this.#isStale = true;
    this.#filling ??= this.#fill()
      .catch(this.options.onError)
      .finally(() => {
        this.#filling = null;
        // It was woken after the last claim.
        if (this.#isStale && this.#free > 0 && !this.closing.aborted) this.wake();
      });
  }

  get #free(): number {
    return MAX_CONCURRENT - this.#running.size;
  }

  async idle(): Promise<void> {
    await this.#filling;
    await Promise.all(this.#running);
  }

  async #fill(): Promise<void> {
    const { webhook, options, closing } = this;
    while (this.#isStale && !closing.aborted) {
      const free = this.#free;
      if (free === 0) return;
      this.#isStale = false;
      const now = Date.now();
      const leaseEnd = now + webhook.timeoutMs + LEASE_MARGIN_MS;
      const claimed = await options.records.claim(webhook.name, { now, leaseEnd }, free);
      for (const delivery of claimed) this.#start(delivery);
    }
  }

  #start(delivery: WebhookDelivery): void {
    const run = this.#attempt(delivery)
      .catch(this.options.onError)
      .finally(() => {
        this.#running.delete(run);
        this.wake();
      });
    this.#running.add(run);
  }

  async #attempt(delivery: WebhookDelivery): Promise<void> {
    const { webhook, options, closing } = this;
    const lastAttemptAt = Date.now();
    const received = await send(webhook, delivery, { now: lastAttemptAt, signal: closing }).catch(messageOf);
    const hasStatus = typeof received !== 'string';
    const isDelivered = hasStatus && received.status >= 200 && received.status < 300;
    if (closing.aborted && !isDelivered) {
      const { id, attempts, lastStatus, lastError } = delivery;
      const before = { attempts: attempts - 1, lastAttemptAt: delivery.lastAttemptAt, lastStatus, lastError };
      return options.records.finish({ id, attempts }, { ...before, state: 'PENDING', dueAt: Date.now() });
    }
    const isLast = delivery.attempts >= webhook.maxAttempts || (hasStatus && received.status === 410);
    const state = isDelivered ? 'DELIVERED' : isLast ? 'FAILED' : 'PENDING';
    const result: AttemptResult = {
      state,
      attempts: delivery.attempts,
      dueAt: Date.now() + (state === 'PENDING' ? this.#pause(delivery.attempts, received) : 0),
      lastAttemptAt,
      lastStatus: hasStatus ? received.status : null,
      lastError: isDelivered ? null : reasonOf(received),
    };
    await options.records.finish(delivery, result);
    options.onAttempt?.(webhook.name, isDelivered ? 'delivered' : isLast ? 'failed' : 'retried');
    if (state === 'FAILED') options.log(failureLine(delivery, result));
  }

  #pause(attempts: number, received: Received | string): number {
    const pause = Math.min(this.webhook.firstPauseMs * PAUSE_FACTOR ** (attempts - 1), LONGEST_PAUSE_MS);
    const requested = typeof received === 'string' ? 0 : Math.min(received.retryAfterMs, LONGEST_PAUSE_MS);
    return Math.round(Math.max(requested, pause * (1 - JITTER + 2 * JITTER * Math.random())));
  }
}

function reasonOf(received: Received | string): string {
  if (typeof received === 'string') return [...received.replace(/\s+/g, ' ')].slice(0, MAX_ERROR_LENGTH).join('');
  const { status } = received;
  return status >= 300 && status < 400 ? `status ${status}: redirects are not followed` : `status ${status}`;
}

function failureLine({ webhook, id, type, chatId }: WebhookDelivery, { attempts, lastError }: AttemptResult): string {
  return `Webhook ${webhook}: delivery ${id} of ${type} of chat "${chatId}" has failed after ${attempts} attempts: ${lastError}`;
}
