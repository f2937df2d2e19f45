import type { ChatItem } from '@parley/client';
import type { ReactNode } from 'react';
import { shortTime } from '../chats/by-day.js';
import { chatTitle, useFirstWords } from '../chats/chat-title.js';
import { linkTo } from '../place.js';
import { counted } from '../words.js';

interface CardsProps {
  chats: readonly ChatItem[];
  /** The picture of a chat; nothing by default. */
  pictureOf?(chat: ChatItem): ReactNode;
  /** What happens in a chat now; nothing by default. */
  stateOf?(chat: ChatItem): ReactNode;
}

/** The recent chats. */
export function Cards({ chats, pictureOf, stateOf }: CardsProps): ReactNode {
  const first = useFirstWords(chats);
  const now = new Date();
  return (
    <section className="recent">
      <h3>Recent chats</h3>
      <ul className="cards">
        {chats.map((chat) => {
          const { id, updatedAt, messageCount, branchCount, lastMessage } = chat;
          return (
            <li key={id}>
              <a href={linkTo({ chatId: id })} className="panel">
                <span className="picture">{messageCount === 0 ? 'Empty' : pictureOf?.(chat)}</span>
                <b dir="auto" className="ellipsis">
                  {chatTitle(chat, first.get(id))}
                </b>
                <time dateTime={updatedAt}>{shortTime(new Date(updatedAt), now)}</time>
                <span dir="auto" className="ellipsis">
                  {lastMessage?.preview ?? ''}
                </span>
                <span>
                  {counted(messageCount, 'message')}
                  {branchCount.totalCount > 1 && `, ${counted(branchCount.totalCount, 'branch', 'branches')}`}
                  {stateOf?.(chat)}
                </span>
              </a>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
