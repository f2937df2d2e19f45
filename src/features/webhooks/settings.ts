/** The settings of webhooks. */
import { parsed, setting } from '../../settings/declare-setting.js';
import { parseWebhooks } from './webhook.js';
import type { WebhookEvent } from './event-types.js';

/** A webhook as configured. */
export interface WebhookOptions {
  /** Unique; it names the webhook in lists, logs and metrics. */
  name: string;
  /** `https://`, or `http://` with allowPrivateAddresses; without user and password. */
  url: string;
  /** One or two secrets, `whsec_` and 24 to 64 bytes in base64. Each signs every request, so that they can be rotated. */
  secrets: readonly string[];
  /** The types of events that are sent. @default all */
  events?: readonly WebhookEvent[] | undefined;
  /** Whether the host may resolve to an address that is not public, such as 127.0.0.1. @default false */
  allowPrivateAddresses?: boolean | undefined;
  /** Whether to follow up to 3 redirects with status 307 or 308, each with the same checks. @default false */
  allowRedirects?: boolean | undefined;
  /** Milliseconds that a request may take. @default 15000 */
  timeoutMs?: number | undefined;
  /** Attempts before a delivery has failed. @default 12 */
  maxAttempts?: number | undefined;
  /** Milliseconds after the first attempt; each further pause is 4 times as long, at most 12 hours. @default 5000 */
  firstPauseMs?: number | undefined;
}

export const webhookSettings = {
  /**
   * Receivers of signed events: see docs/administration/webhooks.md. Every process that writes to the database needs the same.
   * @default []
   */
  webhooks: setting<readonly WebhookOptions[]>('WEBHOOKS', parsed(parseWebhooks), {
    byDefault: [],
    isSecret: true,
  }).means(
    'Receivers of signed events, as JSON: see [Webhooks](administration/webhooks.md). `WEBHOOKS_FILE` names a file',
  ),
};
