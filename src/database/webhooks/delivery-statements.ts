/** The statements that a change adds to its transaction for webhooks: at most one, and none without webhooks. */
import type { Sql } from 'sql-template-tag';
import type { Chat } from '../../conversation/model.js';
import { deliveriesOfImport, type WebhookDelivery } from '../../conversation/webhooks/webhook-events.js';
import type { Connection } from '../opening/connection.js';

export function deliveryStatements({ sql }: Pick<Connection, 'sql'>, deliveries: readonly WebhookDelivery[]): Sql[] {
  return deliveries.length === 0 ? [] : [sql.insertDeliveries(deliveries)];
}

/** For a chat that an import writes without a ChatChange. */
export function importDeliveries(
  { sql, webhooks }: Pick<Connection, 'sql' | 'webhooks'>,
  chat: Pick<Chat, 'id' | 'userId' | 'version'>,
  { isNew }: { isNew: boolean },
): Sql[] {
  const change = { chat, actorId: chat.userId, now: Date.now(), isNew };
  return deliveryStatements({ sql }, deliveriesOfImport(webhooks, change));
}
