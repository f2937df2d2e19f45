import { operation, type Parley } from '@parley/client';

/** The number of objects per request: by default, the server allows 30 root fields. */
export const MAX_IDS_PER_REQUEST = 25;

/**
 * Reads fields of messages by id. Missing messages are omitted.
 * @param fields of Message, in GraphQL
 */
export async function readMessages<Fields>(
  parley: Parley,
  messageIds: readonly string[],
  fields: string,
  signal: AbortSignal,
): Promise<Map<string, Fields>> {
  const found = new Map<string, Fields>();
  for (let from = 0; from < messageIds.length; from += MAX_IDS_PER_REQUEST) {
    const ids = messageIds.slice(from, from + MAX_IDS_PER_REQUEST).map((id, n) => [`m${n}`, id] as const);
    const ReadMessages = operation<Record<string, Fields | null>, Record<string, string>>(
      `query ReadMessages(${ids.map(([name]) => `$${name}: ID!`).join(' ')}) {
        ${ids.map(([name]) => `${name}: message(id: $${name}) { ${fields} }`).join('\n')}
      }`,
    );
    const messages = await parley.run(ReadMessages, Object.fromEntries(ids), signal);
    for (const [name, id] of ids) {
      const message = messages[name];
      if (message) found.set(id, message);
    }
  }
  return found;
}
