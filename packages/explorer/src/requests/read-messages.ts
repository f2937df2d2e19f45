import { operation, type Parley } from '@parley/client';

/** The number of objects per request: by default, the server allows 30 root fields. */
export const MAX_IDS_PER_REQUEST = 25;

/** The query of a number of messages, with variables `m0`, `m1`, … */
export function messagesQuery(count: number, fields: string): string {
  const names = Array.from({ length: count }, (_, n) => `m${n}`);
  return `query ReadMessages(${names.map((name) => `$${name}: ID!`).join(' ')}) {
    ${names.map((name) => `${name}: message(id: $${name}) { ${fields} }`).join('\n')}
  }`;
}

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
      messagesQuery(ids.length, fields),
    );
    const messages = await parley.run(ReadMessages, Object.fromEntries(ids), signal);
    for (const [name, id] of ids) {
      const message = messages[name];
      if (message) found.set(id, message);
    }
  }
  return found;
}
