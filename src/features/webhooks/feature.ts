/** Sends the events of chats to configured receivers: see docs/administration/webhooks.md. */
import { Counter } from 'prom-client';
import type { Feature, OpenFeature } from '../../feature.js';
import type { ValuesOf } from '../../settings/setting.js';
import { WebhookDeliveries } from './deliveries.js';
import './graphql.js';
import type { webhookSettings } from './settings.js';
import { deliveriesOf } from './webhook-events.js';
import { checkWebhooks } from './webhook.js';
import { WebhookWorker } from './webhook-worker.js';

declare module '../../graphql/context.js' {
  interface FeatureContext {
    readonly webhooks: Pick<WebhookWorker, 'names' | 'records' | 'wake'>;
  }
}

export const webhooks: Feature<ValuesOf<typeof webhookSettings>> = {
  check: ({ webhooks }) => ({ webhooks: checkWebhooks(webhooks) }),
  forProcesses: ({ webhooks }) => ({
    webhooks: webhooks.map((webhook) => ({ ...webhook, secrets: [] })),
  }),
  open: (connection, { webhooks }) => {
    const records = new WebhookDeliveries(connection);
    const statements: OpenFeature['statements'] = (commit) => {
      const deliveries = deliveriesOf(webhooks, commit);
      return deliveries.length === 0 ? [] : [records.insert(deliveries)];
    };
    return {
      ...(webhooks.length > 0 && { statements }),
      serve: ({ sweepIntervalMs, registry, log, onError }) => {
        const attempts = new Counter({
          name: 'parley_webhook_attempts_total',
          help: 'Attempts to deliver an event, by webhook and outcome: delivered, retried later, or failed for good.',
          labelNames: ['webhook', 'outcome'],
          registers: [registry],
        });
        const worker = new WebhookWorker({
          webhooks: checkWebhooks(webhooks),
          records,
          intervalMs: sweepIntervalMs,
          log,
          onError,
          onAttempt: (webhook, outcome) => attempts.inc({ webhook, outcome }),
        });
        return {
          context: { webhooks: worker },
          ...(webhooks.length > 0 && { onChange: () => worker.wake() }),
          close: () => worker.close(),
        };
      },
    };
  },
};
