import { useThreadState } from '@parley/client/react';
import { useEffect, type ReactNode } from 'react';

interface TabProps {
  /** The title of the open chat in the list; null for none. */
  title: string | null;
  /** The number of chats with new messages. */
  unread: number;
}

/** The title and the icon of the browser's tab, with new messages and a running answer. */
export function Tab({ chatId, ...props }: TabProps & { chatId: string | null }): ReactNode {
  return chatId === null ? <Shown {...props} isRunning={false} /> : <ChatTab key={chatId} {...props} chatId={chatId} />;
}

function ChatTab({ chatId, title, unread }: TabProps & { chatId: string }): ReactNode {
  const own = useThreadState(chatId, ({ chat }) => chat?.title);
  const isRunning = useThreadState(chatId, ({ drafts }) =>
    drafts.some(({ message }) => message.status === 'streaming'),
  );
  return <Shown title={own ?? title} unread={unread} isRunning={isRunning} />;
}

function Shown({ title, unread, isRunning }: TabProps & { isRunning: boolean }): ReactNode {
  useEffect(() => {
    document.title = [
      unread > 0 && `(${unread})`,
      isRunning && 'Writing…',
      title === null ? 'Parley' : `${title} – Parley`,
    ]
      .filter((part) => part !== false)
      .join(' ');
    const mark = isRunning ? RUNNING : unread > 0 ? UNREAD : '';
    icon?.setAttribute('href', plain.replace(END, encodeURIComponent(mark) + END));
  }, [title, unread, isRunning]);
  return null;
}

const icon = document.querySelector('link[rel=icon]');
const plain = icon?.getAttribute('href') ?? '';
const END = encodeURIComponent('</svg>');

const UNREAD = "<circle cx='18' cy='6' r='6' fill='#d22c50'/>";
const RUNNING = "<circle cx='18' cy='6' r='4.5' fill='#fff' stroke='#107b5f' stroke-width='3'/>";
