/** The names of chats in lists: the title, or the first words of the user. */
import { operation, type ChatItem, type Parley } from '@parley/client';
import { useParley } from '@parley/client/react';
import { useEffect } from 'react';
import { MAX_IDS_PER_REQUEST } from '../read-messages.js';
import { SharedValue } from '../shared-value.js';

/** The number of messages that are searched for one of the user. */
const MESSAGES_PER_CHAT = 3;

type Beginning = { messages: { edges: { node: { name: string; preview: string } }[] } } | null;

/** First words by chat id; empty for a chat without a message of the user. They never change. */
const known = new SharedValue<ReadonlyMap<string, string>>(new Map());
/** The chats whose first words are being read: the list and the first page show the same chats. */
const reading = new Set<string>();

/** The name of a chat. @param first the first words of its user, if they were read */
export function chatTitle({ title }: Pick<ChatItem, 'title'>, first: string | undefined): string {
  return title ?? (first ? `“${first}”` : 'Untitled');
}

/** The first words of the users in untitled chats, by chat id. */
export function useFirstWords(chats: readonly ChatItem[]): ReadonlyMap<string, string> {
  const parley = useParley();
  const first = known.use();
  const unread = chats
    .filter(({ id, title, messageCount }) => title === null && messageCount > 0 && !first.has(id))
    .map(({ id }) => id);
  useEffect(() => {
    void read(parley, unread.filter((id) => !reading.has(id)).slice(0, MAX_IDS_PER_REQUEST));
    // The key has the ids of `unread`.
  }, [parley, unread.join(' ')]);
  return first;
}

async function read(parley: Parley, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const ReadBeginnings = operation<Record<string, Beginning>, Record<string, string>>(
    `query ReadBeginnings(${ids.map((_, n) => `$c${n}: ID!`).join(' ')}) {
      ${ids
        .map(
          (_, n) => `c${n}: chat(id: $c${n}) {
            messages(first: ${MESSAGES_PER_CHAT}) { edges { node { name preview(length: 60) } } }
          }`,
        )
        .join('\n')}
    }`,
  );
  for (const id of ids) reading.add(id);
  try {
    const beginnings = await parley.run(ReadBeginnings, Object.fromEntries(ids.map((id, n) => [`c${n}`, id])));
    const found = ids.map((id, n) => {
      const messages = beginnings[`c${n}`]?.messages.edges.map(({ node }) => node) ?? [];
      return [id, messages.find(({ name }) => name === 'user')?.preview ?? ''] as const;
    });
    known.set(new Map([...known.get(), ...found]));
  } catch {
    // The list shows "Untitled".
  }
  for (const id of ids) reading.delete(id);
}
