import { useSearch } from '@parley/client/react';
import type { ReactNode } from 'react';
import { linkTo } from '../place.js';

/** The results of a search in all texts. Each hit links to its message on its path. */
export default function Found({ query }: { query: string }): ReactNode {
  const { hits, isSearching, error } = useSearch(query);
  if (error !== null) return <p role="alert">{error.message}</p>;
  return (
    <>
      <p className="hint" role="status">
        {isSearching ? 'Loading…' : hits.length === 1 ? '1 message found' : `${hits.length} messages found`}
      </p>
      <ul>
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
