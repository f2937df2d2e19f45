import type { ChatFilter } from '@parley/client';
import { CreateChat } from '@parley/client/operations';
import { useChats, useParley } from '@parley/client/react';
import { GitFork, MessageSquareDashed, Plus, Search, SlidersHorizontal, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button, IconButton } from '../design/button.js';
import { EmptyState, Skeleton } from '../design/placeholder.js';
import { notify } from '../design/toast.js';
import { lazyPart } from '../lazy-part.js';
import { linkTo } from '../place.js';
import { shortcutName } from '../browser/shortcuts.js';
import { Chats } from './chats.js';
import './chats.css';

const Filter = lazyPart(() => import('./filter.js'));
const Trash = lazyPart(() => import('./trash.js'));
const Found = lazyPart(() => import('./found.js'), <Skeleton rows={9} />);

interface ChatListProps {
  open: string | null;
  /** The id of the owner whose chats are listed; null for all. */
  userId: string | null;
  /** Opens the command palette. */
  onCommands(): void;
}

/** The chats, newest change first, live; filtered chats; or the results of a search in all chats. */
export function ChatList({ open, userId, onCommands }: ChatListProps): ReactNode {
  const [query, setQuery] = useState('');
  const [chosen, setFilter] = useState<ChatFilter | null>(null);
  const [isFiltering, setIsFiltering] = useState(false);
  const [isTrashOpen, setIsTrashOpen] = useState(false);
  const create = useNewChat();
  const filter = userId === null ? chosen : { ...chosen, userId };
  return (
    <nav className="chats" aria-label="Chats">
      <div className="brand row">
        <GitFork aria-hidden />
        <a href={linkTo({})}>Parley</a>
        <Connection />
      </div>
      <div className="search row panel">
        <Search aria-hidden />
        <input
          type="search"
          id="search"
          aria-label="Search"
          placeholder="Search messages"
          value={query}
          onChange={({ target }) => setQuery(target.value)}
          dir="auto"
        />
        <button
          type="button"
          className="commands"
          aria-label={`${shortcutName('⌘K')}: Search or run a command`}
          onClick={onCommands}
        >
          <kbd aria-hidden>{shortcutName('⌘K')}</kbd>
        </button>
      </div>
      <div className="list-actions">
        <Button tone="accent" icon={Plus} onClick={() => void create()}>
          New chat
        </Button>
        <IconButton
          label={chosen === null ? 'Filter' : 'Filtered'}
          icon={SlidersHorizontal}
          className="icon-button bordered"
          aria-expanded={isFiltering}
          aria-pressed={chosen !== null}
          onClick={() => setIsFiltering(!isFiltering)}
        />
        <IconButton
          label="Deleted chats"
          icon={Trash2}
          className="icon-button bordered"
          onClick={() => setIsTrashOpen(true)}
        />
        {isTrashOpen && <Trash onClose={() => setIsTrashOpen(false)} />}
      </div>
      <div className="chat-groups">
        {isFiltering && <Filter onFilter={setFilter} />}
        {query.trim() !== '' ? (
          <Found query={query} />
        ) : (
          <Live filter={filter} open={open} onCreate={() => void create()} />
        )}
      </div>
    </nav>
  );
}

/** Creates a chat and opens it. */
export function useNewChat(): () => Promise<void> {
  const parley = useParley();
  return async () => {
    try {
      const { createChat } = await parley.run(CreateChat, { input: {} });
      if ('chat' in createChat) location.hash = linkTo({ chatId: createChat.chat.id });
    } catch (reason) {
      notify({ text: (reason as Error).message, isUrgent: true });
    }
  };
}

function Connection(): ReactNode {
  const { status } = useChats();
  const text = status === 'live' ? 'live' : status === 'opening' ? 'connecting' : 'unavailable';
  return (
    <span className="connection" data-status={status}>
      {text}
    </span>
  );
}

interface LiveProps {
  filter: ChatFilter | null;
  open: string | null;
  onCreate(): void;
}

function Live({ filter, open, onCreate }: LiveProps): ReactNode {
  const { status, error, chats, hasMore, loadMore } = useChats(filter);
  if (status === 'opening') return <Skeleton rows={9} />;
  if (filter !== null && status === 'failed') return <p role="alert">{error?.message}</p>;
  return (
    <Chats
      {...{ chats, open }}
      none={
        filter !== null ? (
          <EmptyState icon={Search} text="No chat matches." />
        ) : (
          <EmptyState
            icon={MessageSquareDashed}
            text="There are no chats yet. Create one, or drop a file of another product anywhere on this page."
          >
            <Button icon={Plus} onClick={onCreate}>
              New chat
            </Button>
          </EmptyState>
        )
      }
      onMore={hasMore ? () => void loadMore() : null}
    />
  );
}
