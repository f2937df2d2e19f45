/** The stored deliveries of webhooks, implemented in src/database. */
import type { PageRequest, Slice } from '../paging.js';
import type { WebhookDelivery } from './webhook-events.js';

export const DELIVERY_STATES = ['PENDING', 'DELIVERED', 'FAILED'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The result of an attempt; `attempts` is the new count. */
export type AttemptResult = Pick<
  WebhookDelivery,
  'attempts' | 'dueAt' | 'lastAttemptAt' | 'lastStatus' | 'lastError'
> & { readonly state: DeliveryState };

/** Null: all. */
export interface DeliveryFilter {
  readonly webhook: string | null;
  readonly state: DeliveryState | null;
}

/** The webhooks of a server. */
export interface WebhookService {
  /** Names of the configured webhooks. */
  readonly names: readonly string[];
  readonly records: Pick<WebhookDeliveryRecords, 'page' | 'replay'>;
  /** Sends what is due now. */
  wake(): void;
}

export interface WebhookDeliveryRecords {
  /**
   * Leases due deliveries until a time, and counts an attempt of each. A lease that ends makes them due again.
   * @returns their rows with the new count
   */
  claim(webhook: string, times: { now: number; leaseEnd: number }, limit: number): Promise<WebhookDelivery[]>;
  /** Writes the result of an attempt, unless another server has claimed the delivery since. */
  finish(claimed: Pick<WebhookDelivery, 'id' | 'attempts'>, result: AttemptResult): Promise<void>;
  /** Newest first; the position is the id. */
  page(filter: DeliveryFilter, page: PageRequest<string>): Promise<Omit<Slice<WebhookDelivery>, 'totalCount'>>;
  /**
   * Makes ended deliveries of a webhook due again, with all attempts.
   * @param ids null: the oldest failed ones
   * @returns their number
   */
  replay(webhook: string, ids: readonly string[] | null, now: number, limit: number): Promise<number>;
  /**
   * Deletes old deliveries of a state, at most `limit`.
   * @param except webhooks whose deliveries are kept
   * @returns their number
   */
  removeOld(state: DeliveryState, before: number, limit: number, except?: readonly string[]): Promise<number>;
}
