import { useChats } from '@parley/client/react';
import type { ReactNode } from 'react';
import { linkTo } from '../place.js';
import { words } from '../words.js';

/** The chats, newest change first, as they change. */
export function ChatList({ open }: { open: string | null }): ReactNode {
  const { status, chats, hasMore, loadMore } = useChats();
  return (
    <nav className="chats" aria-label={words.chats}>
      <h1>{words.title}</h1>
      {chats.length === 0 && <p className="hint">{status === 'opening' ? words.loading : words.noChats}</p>}
      <ul>
        {chats.map(({ id, title, messageCount, lastMessage, updatedAt }) => (
          <li key={id}>
            <a href={linkTo({ chatId: id })} aria-current={id === open ? 'page' : undefined}>
              <b dir="auto">{title ?? words.untitled}</b>
              <span dir="auto">{lastMessage?.preview}</span>
              <small>
                {words.messages(messageCount)} ·{' '}
                <time dateTime={updatedAt}>{new Date(updatedAt).toLocaleString()}</time>
              </small>
            </a>
          </li>
        ))}
      </ul>
      {hasMore && <button onClick={() => void loadMore()}>{words.more}</button>}
    </nav>
  );
}
