/** The names of chats in lists: the title, or the first words of the user. */
import { operation, type ChatItem } from '@parley/client';
import { useParley } from '@parley/client/react';
import { useEffect, useState } from 'react';
import { words } from '../words.js';
import { listWords } from './list-words.js';

/** The number of chats per request, and of messages that are searched for one of the user. */
const CHATS_AT_ONCE = 40;
const MESSAGES_PER_CHAT = 3;

type Beginning = { messages: { edges: { node: { name: string; preview: string } }[] } } | null;

/** First words by chat id; empty for a chat without a message of the user. They never change. */
const known = new Map<string, string>();

/** The name of a chat. @param first the first words of its user, if they were read */
export function chatTitle({ title }: Pick<ChatItem, 'title'>, first: string | undefined): string {
  return title ?? (first ? listWords.quoted(first) : words.untitled);
}

/** The first words of the users in untitled chats, by chat id. */
export function useFirstWords(chats: readonly ChatItem[]): ReadonlyMap<string, string> {
  const parley = useParley();
  const [, setReads] = useState(0);
  const unread = chats
    .filter(({ id, title, messageCount }) => title === null && messageCount > 0 && !known.has(id))
    .slice(0, CHATS_AT_ONCE)
    .map(({ id }) => id);
  const key = unread.join(' ');
  useEffect(() => {
    if (unread.length === 0) return;
    const reading = new AbortController();
    const ReadBeginnings = operation<Record<string, Beginning>, Record<string, string>>(
      `query ReadBeginnings(${unread.map((_, n) => `$c${n}: ID!`).join(' ')}) {
        ${unread
          .map(
            (_, n) => `c${n}: chat(id: $c${n}) {
              messages(first: ${MESSAGES_PER_CHAT}) { edges { node { name preview(length: 60) } } }
            }`,
          )
          .join('\n')}
      }`,
    );
    const variables = Object.fromEntries(unread.map((id, n) => [`c${n}`, id]));
    parley.run(ReadBeginnings, variables, reading.signal).then(
      (read) => {
        for (const [n, id] of unread.entries()) {
          const messages = read[`c${n}`]?.messages.edges.map(({ node }) => node) ?? [];
          known.set(id, messages.find(({ name }) => name === 'user')?.preview ?? '');
        }
        setReads((count) => count + 1);
      },
      // The list shows "Untitled".
      () => {},
    );
    return () => reading.abort();
    // `key` has the ids of `unread`.
  }, [parley, key]);
  return known;
}
