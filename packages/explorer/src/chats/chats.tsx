import { Menu } from '@base-ui/react/menu';
import type { ChatItem } from '@parley/client';
import { useThread } from '@parley/client/react';
import { CheckSquare, Ellipsis, GitBranch, Pencil, Pin, PinOff, Trash2, X } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
import { Button, IconButton } from '../design/button.js';
import { MenuAction, SharedMenu } from '../design/menu.js';
import { lazyPart } from '../lazy-part.js';
import { linkTo } from '../place.js';
import { includesRole } from '../role.js';
import { ExportButton } from '../transfer/export.js';
import { groupedByDay, shortTime } from './by-day.js';
import { chatTitle, useFirstWords } from './chat-title.js';
import { useDeletion, useKept } from './deletion.js';
import { togglePin, usePins } from './pins.js';
import { useUnread } from './reads.js';
import { useRename } from './rename.js';
import { counted } from '../words.js';

interface ChatsProps {
  chats: readonly ChatItem[];
  open: string | null;
  /** Replaces an empty list. */
  none: ReactNode;
  onMore: (() => void) | null;
}

const LongRows = lazyPart(() => import('./long-rows.js'));

/** Longer lists render only visible rows. */
const MAX_PLAIN_ROWS = 100;

type RowChat = Omit<ChatItem, 'version' | 'messageCount' | 'branchCount'> & Partial<Pick<ChatItem, 'branchCount'>>;

const rowMenu = Menu.createHandle<{ chat: RowChat; title: string }>();

/** A list of chats by day, with a menu for each, and the selection of several. */
export function Chats({ chats, open, none, onMore }: ChatsProps): ReactNode {
  const kept = useKept(chats);
  const first = useFirstWords(kept);
  const pins = usePins();
  const unread = useUnread(kept);
  const rename = useRename();
  const remove = useDeletion();
  /** The selected ids; null without a selection. */
  const [selected, setSelected] = useState<ReadonlySet<string> | null>(null);
  const toggle = (id: string) =>
    setSelected((ids) => new Set(ids?.has(id) ? [...ids].filter((each) => each !== id) : [...(ids ?? []), id]));
  const now = new Date();
  const row = (chat: RowChat, words = first.get(chat.id)) => (
    <Row
      {...{ chat, now, selected }}
      title={chatTitle(chat, words)}
      isOpen={chat.id === open}
      isUnread={unread.has(chat.id)}
      onToggle={toggle}
    />
  );
  const item = (chat: ChatItem) => (
    <li key={chat.id} className="chat-row row">
      {row(chat)}
    </li>
  );
  return (
    <>
      {selected !== null && (
        <div className="selection row" role="group" aria-label={`${selected.size} selected`}>
          <b>{selected.size} selected</b>
          <ExportButton label="Export the selected chats" chatIds={[...selected]} size="small" />
          <IconButton
            label="Delete the selected chats"
            icon={Trash2}
            size="small"
            disabled={
              selected.size === 0 || kept.some(({ id, viewerRole }) => selected.has(id) && viewerRole !== 'OWNER')
            }
            onClick={() => {
              void remove([...selected]);
              setSelected(null);
            }}
          />
          <IconButton label="End the selection" icon={X} size="small" onClick={() => setSelected(null)} />
        </div>
      )}
      {kept.length === 0 && none}
      {open !== null && onMore !== null && !kept.some(({ id }) => id === open) && (
        <OpenChat chatId={open}>
          {(chat, words) => (
            <ul>
              <li className="chat-row row">{row(chat, words)}</li>
            </ul>
          )}
        </OpenChat>
      )}
      {groupedByDay(kept, pins, now).map(({ label, chats: group }) => (
        <Group key={label} label={label}>
          {kept.length > MAX_PLAIN_ROWS ? (
            <LongRows chats={group} row={(chat) => row(chat)} />
          ) : (
            <ul>{group.map(item)}</ul>
          )}
        </Group>
      ))}
      {onMore !== null && (
        <Button className="button more" onClick={onMore}>
          Show more
        </Button>
      )}
      <SharedMenu handle={rowMenu}>
        {({ chat: { id, title, viewerRole } }) => (
          <>
            <MenuAction icon={pins.has(id) ? PinOff : Pin} onClick={() => togglePin(id)}>
              {pins.has(id) ? 'Unpin' : 'Pin'}
            </MenuAction>
            {includesRole(viewerRole, 'WRITER') && (
              <MenuAction icon={Pencil} onClick={() => void rename(id, title)}>
                Rename
              </MenuAction>
            )}
            <MenuAction icon={CheckSquare} onClick={() => setSelected(new Set([id]))}>
              Select
            </MenuAction>
            {viewerRole === 'OWNER' && (
              <MenuAction icon={Trash2} tone="danger" onClick={() => void remove([id])}>
                Delete
              </MenuAction>
            )}
          </>
        )}
      </SharedMenu>
    </>
  );
}

interface OpenChatProps {
  chatId: string;
  /** @param words the first words of its user, if they were read */
  children(chat: RowChat, words: string | undefined): ReactNode;
}

/** The open chat, when it is on a later page of the list. */
function OpenChat({ chatId, children }: OpenChatProps): ReactNode {
  const { status, chat, thread, leafId } = useThread(chatId);
  const first = useFirstWords(chat === null ? [] : [{ ...chat, messageCount: thread.length }]);
  if (chat === null || status === 'gone') return null;
  const last = thread.at(-1);
  return (
    <Group label="Open">
      {children(
        {
          ...chat,
          updatedAt: last?.createdAt ?? chat.createdAt,
          lastMessage: last?.id === leafId ? { id: last.id, name: last.name, preview: last.text.slice(0, 100) } : null,
        },
        first.get(chatId),
      )}
    </Group>
  );
}

function Group({ label, children }: { label: string; children: ReactNode }): ReactNode {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{label}</h2>
      {children}
    </section>
  );
}

interface RowProps {
  chat: RowChat;
  title: string;
  now: Date;
  isOpen: boolean;
  isUnread: boolean;
  selected: ReadonlySet<string> | null;
  onToggle(id: string): void;
}

function Row({ chat, title, now, isOpen, isUnread, selected, onToggle }: RowProps): ReactNode {
  const { id, branchCount, lastMessage, updatedAt } = chat;
  const time = new Date(updatedAt);
  const isUntitled = chat.title === null && title !== 'Untitled';
  return (
    <>
      {selected !== null && (
        <label className="row-check">
          <input
            type="checkbox"
            aria-label={`Select ${title}`}
            checked={selected.has(id)}
            onChange={() => onToggle(id)}
          />
        </label>
      )}
      <a href={linkTo({ chatId: id })} aria-current={isOpen ? 'page' : undefined} data-unread={isUnread || undefined}>
        <b dir="auto" className="ellipsis">
          {title}
        </b>
        <time dateTime={updatedAt} title={time.toLocaleString()}>
          {isUnread && <span className="visually-hidden">New messages,</span>}
          {shortTime(time, now)}
        </time>
        <span dir="auto" className="ellipsis">
          {isUntitled && `Untitled · `}
          {lastMessage?.preview ?? 'Empty'}
        </span>
        {branchCount !== undefined && branchCount.totalCount > 1 && (
          <small>
            <GitBranch aria-hidden />
            <span className="visually-hidden">{counted(branchCount.totalCount, 'branch', 'branches')}</span>
            <span aria-hidden>{branchCount.totalCount.toLocaleString('en')}</span>
          </small>
        )}
      </a>
      <Menu.Trigger
        handle={rowMenu}
        payload={{ chat, title }}
        className="icon-button row-actions"
        data-size="small"
        aria-label={`Actions for ${title}`}
      >
        <Ellipsis aria-hidden />
      </Menu.Trigger>
    </>
  );
}
