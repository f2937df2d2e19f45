/** The settings of webhooks. */
import { parsed, setting } from '../../settings/declare-setting.js';
import type { WebhookOptions } from './webhook-options.js';
import { parseWebhooks } from './webhook.js';

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
