import { useSearch } from '@parley/client/react';
import type { ReactNode } from 'react';
import { linkTo } from '../place.js';
import { counted } from '../words.js';
import { useTitled } from './titled.js';

/** The chats with the words in their titles, and the results of a search in all texts. Each hit links to its message on its path. */
export default function Found({ query }: { query: string }): ReactNode {
  const { hits, isSearching, error } = useSearch(query);
  const chats = useTitled(query);
  if (error !== null) return <p role="alert">{error.message}</p>;
  return (
    <>
      <p className="hint" role="status">
        {isSearching
          ? 'Loading…'
          : `${chats.length === 0 ? '' : `${counted(chats.length, 'chat')}, `}${counted(hits.length, 'message')} found`}
      </p>
      <ul>
        {chats.map(({ id, title, messageCount }) => (
          <li key={`chat ${id}`}>
            <a href={linkTo({ chatId: id })}>
              <b dir="auto" className="ellipsis">
                {title}
              </b>
              <small>{counted(messageCount, 'message')}</small>
            </a>
          </li>
        ))}
        {hits.map(({ message: { id, name, chat }, snippet }) => (
          <li key={id}>
            <a href={linkTo({ chatId: chat.id, messageId: id })}>
              <b dir="auto" className="ellipsis">
                {chat.title ?? 'Untitled'}
              </b>
              {/* The server has escaped it, and marked what was found. */}
              <span dir="auto" className="snippet" dangerouslySetInnerHTML={{ __html: snippet }} />
              <small>{name}</small>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
