import type { ChatFilter, ChatItem } from '@parley/client';
import { CreateChat, ListChats } from '@parley/client/operations';
import { useChats, useParley } from '@parley/client/react';
import { useEffect, useState, type ReactNode } from 'react';
import { linkTo } from '../place.js';
import { words } from '../words.js';
import { Filter } from './filter.js';
import { Found } from './found.js';

interface ChatListProps {
  open: string | null;
  /** The id of the owner whose chats are listed; null for all. */
  userId: string | null;
}

/** The chats, newest change first, live; filtered chats; or the results of a search in all chats. */
export function ChatList({ open, userId }: ChatListProps): ReactNode {
  const parley = useParley();
  const [query, setQuery] = useState('');
  const [failed, setFailed] = useState('');
  const [chosen, setFilter] = useState<ChatFilter | null>(null);
  const filter = userId === null ? chosen : { ...chosen, userId };
  const begin = async () => {
    try {
      const { createChat } = await parley.run(CreateChat, { input: {} });
      setFailed('');
      if ('chat' in createChat) location.hash = linkTo({ chatId: createChat.chat.id });
    } catch (reason) {
      setFailed((reason as Error).message);
    }
  };
  return (
    <nav className="chats" aria-label={words.chats}>
      <header>
        <h1>
          <a href={linkTo({})}>{words.title}</a>
        </h1>
        <button onClick={() => void begin()}>{words.newChat}</button>
      </header>
      {failed !== '' && <p role="alert">{failed}</p>}
      <input
        type="search"
        id="search"
        aria-label={words.search}
        placeholder={words.search}
        value={query}
        onChange={({ target }) => setQuery(target.value)}
        dir="auto"
      />
      <Filter onFilter={setFilter} />
      {query.trim() !== '' ? (
        <Found query={query} />
      ) : filter === null ? (
        <Live open={open} />
      ) : (
        <Filtered key={JSON.stringify(filter)} filter={filter} open={open} />
      )}
    </nav>
  );
}

function Live({ open }: { open: string | null }): ReactNode {
  const { status, chats, hasMore, loadMore } = useChats();
  return (
    <Chats
      {...{ chats, open }}
      none={status === 'opening' ? words.loading : words.noChats}
      onMore={hasMore ? () => void loadMore() : null}
    />
  );
}

/** A snapshot: a changed chat may no longer match the filter. */
function Filtered({ filter, open }: { filter: ChatFilter; open: string | null }): ReactNode {
  const parley = useParley();
  const [chats, setChats] = useState<readonly ChatItem[] | null>(null);
  const [after, setAfter] = useState<string | null>(null);
  const [failed, setFailed] = useState('');
  const read = (cursor: string | null, signal?: AbortSignal) =>
    parley.run(ListChats, { first: 20, after: cursor, filter }, signal).then(
      ({ chats: page }) => {
        setChats((known) => [...(cursor === null ? [] : (known ?? [])), ...page.edges.map(({ node }) => node)]);
        setAfter(page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null);
      },
      (reason: Error) => {
        if (!signal?.aborted) setFailed(reason.message);
      },
    );
  useEffect(() => {
    const reading = new AbortController();
    void read(null, reading.signal);
    return () => reading.abort();
    // Another filter is another component.
  }, [parley]);
  if (failed !== '') return <p role="alert">{failed}</p>;
  return (
    <Chats
      chats={chats ?? []}
      open={open}
      none={chats === null ? words.loading : words.noneFound}
      onMore={after === null ? null : () => void read(after)}
    />
  );
}

/** The time for today, the date for other days. */
const shortTime = (time: Date): string =>
  time.toDateString() === new Date().toDateString()
    ? time.toLocaleTimeString(undefined, { timeStyle: 'short' })
    : time.toLocaleDateString(undefined, { dateStyle: 'medium' });

interface ChatsProps {
  chats: readonly ChatItem[];
  open: string | null;
  /** The text of an empty list. */
  none: string;
  onMore: (() => void) | null;
}

function Chats({ chats, open, none, onMore }: ChatsProps): ReactNode {
  return (
    <>
      {chats.length === 0 && <p className="hint">{none}</p>}
      <ul>
        {chats.map(({ id, title, messageCount, branchCount, lastMessage, updatedAt }) => (
          <li key={id}>
            <a href={linkTo({ chatId: id })} aria-current={id === open ? 'page' : undefined}>
              <b dir="auto">{title ?? (lastMessage?.preview || words.untitled)}</b>
              {title !== null && <span dir="auto">{lastMessage?.preview}</span>}
              <small>
                {words.messages(messageCount)} ·{' '}
                {branchCount.totalCount > 1 && `${words.branchCount(branchCount.totalCount)} · `}
                <time dateTime={updatedAt} title={new Date(updatedAt).toLocaleString()}>
                  {shortTime(new Date(updatedAt))}
                </time>
              </small>
            </a>
          </li>
        ))}
      </ul>
      {onMore !== null && <button onClick={onMore}>{words.more}</button>}
    </>
  );
}
