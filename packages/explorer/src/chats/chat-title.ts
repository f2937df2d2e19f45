/** The names of chats in lists: the title, or the first words of the user. */
import { operation, type ChatItem, type Parley } from '@parley/client';
import { useParley } from '@parley/client/react';
import { useEffect } from 'react';
import { MAX_IDS_PER_REQUEST } from '../requests/read-messages.js';
import { SharedValue } from '../browser/shared-value.js';

/** The number of messages that are searched for one of the user. */
const MESSAGES_PER_CHAT = 3;

type Chat = Pick<ChatItem, 'id' | 'title' | 'messageCount'>;

type Beginning = { messages: { edges: { node: { name: string; preview: string } }[] } } | null;

/** First words by key; empty without a message of the user. They never change. */
const known = new SharedValue<ReadonlyMap<string, string>>(new Map());
/** One read at a time: an import changes many chats per second. */
let isReading = false;

/** The name of a chat. @param first the first words of its user, if they were read */
export function chatTitle({ title }: Pick<ChatItem, 'title'>, first: string | undefined): string {
  return title ?? (first ? `“${first}”` : 'Untitled');
}

/** The first words of the users in untitled chats, by chat id. */
export function useFirstWords(chats: readonly Chat[]): ReadonlyMap<string, string> {
  const parley = useParley();
  const first = known.use();
  const unread = chats
    .filter((chat) => chat.title === null && chat.messageCount > 0 && !first.has(chat.id) && !first.has(emptyKey(chat)))
    .slice(0, MAX_IDS_PER_REQUEST);
  useEffect(() => {
    void read(parley, unread);
    // The key has the chats of `unread`.
  }, [parley, unread.map(emptyKey).join(' '), first]);
  return first;
}

/** The key of a chat without a message of the user so far: a longer one is read again. */
const emptyKey = ({ id, messageCount }: Chat) => `${id} ${Math.min(messageCount, MESSAGES_PER_CHAT)}`;

/** The query of the first messages of a number of chats, with variables `c0`, `c1`, … */
export function beginningsQuery(count: number): string {
  const names = Array.from({ length: count }, (_, n) => `c${n}`);
  return `query ReadBeginnings(${names.map((name) => `$${name}: ID!`).join(' ')}) {
    ${names
      .map(
        (name) => `${name}: chat(id: $${name}) {
          messages(first: ${MESSAGES_PER_CHAT}) { edges { node { name preview(length: 60) } } }
        }`,
      )
      .join('\n')}
  }`;
}

async function read(parley: Parley, chats: readonly Chat[]): Promise<void> {
  if (chats.length === 0 || isReading) return;
  isReading = true;
  const ids = chats.map(({ id }) => id);
  const ReadBeginnings = operation<Record<string, Beginning>, Record<string, string>>(beginningsQuery(ids.length));
  try {
    const beginnings = await parley.run(ReadBeginnings, Object.fromEntries(ids.map((id, n) => [`c${n}`, id])));
    const found = chats.map((chat, n) => {
      const messages = beginnings[`c${n}`]?.messages.edges.map(({ node }) => node) ?? [];
      const words = messages.find(({ name }) => name === 'user')?.preview ?? '';
      return [words === '' ? emptyKey(chat) : chat.id, words] as const;
    });
    isReading = false;
    known.set(new Map([...known.get(), ...found]));
  } catch {
    // The list shows "Untitled".
  }
  isReading = false;
}
