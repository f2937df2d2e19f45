import type { Message } from '@parley/client';
import { useDraft } from '@parley/client/react';
import { Settings2, Sparkles, Wrench, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { linkTo } from '../place.js';
import { viewerId } from '../session.js';
import { factsOf } from './message-facts.js';

const ICONS: Readonly<Record<string, LucideIcon>> = { assistant: Sparkles, tool: Wrench, system: Settings2 };

export const ROLE_NAMES: Readonly<Record<string, string>> = { assistant: 'Assistant', system: 'System', tool: 'Tool' };

const STATUSES = {
  sending: 'sending',
  waiting: 'waiting for the server',
  streaming: 'writing…',
  stopping: 'stopping',
  abandoned: 'abandoned by its writer',
} as const;

/** Avatar, name, model and time of a message. */
export function MessageHeader({ message, chatId }: { message: Message; chatId: string }): ReactNode {
  const { id, name, status, createdAt, createdBy, data } = message;
  const draft = useDraft(id);
  const { model } = factsOf(data, draft?.metadata);
  const time = new Date(createdAt);
  return (
    <header>
      <Author name={name} createdBy={createdBy} />
      {model !== null && <bdi>{model}</bdi>}
      {status === undefined ? (
        <a href={linkTo({ chatId, messageId: id })}>
          <time dateTime={createdAt} title={time.toLocaleString()}>
            {messageTime(time)}
          </time>
        </a>
      ) : (
        <Status status={status} />
      )}
    </header>
  );
}

/** The progress of a message that is not saved. */
export function Status({ status }: { status: NonNullable<Message['status']> }): ReactNode {
  return (
    <span role="status" data-status={status}>
      {STATUSES[status]}
    </span>
  );
}

/** Whether the user of this page wrote a message. */
export const isOfViewer = ({ name, createdBy }: Pick<Message, 'name' | 'createdBy'>): boolean =>
  name === 'user' && (createdBy === null || createdBy === viewerId());

export function authorOf(message: Pick<Message, 'name' | 'createdBy'>): string {
  const { name, createdBy } = message;
  if (isOfViewer(message)) return 'You';
  return name === 'user' ? (createdBy ?? name) : (ROLE_NAMES[name] ?? name);
}

/** The avatar and the name of the author of a message. */
export function Author(message: Pick<Message, 'name' | 'createdBy'>): ReactNode {
  const { name } = message;
  const Icon = ICONS[name];
  const author = authorOf(message);
  return (
    <>
      <span className="avatar" data-role={name} aria-hidden>
        {Icon ? <Icon /> : author.slice(0, 1).toUpperCase()}
      </span>
      <b dir="auto">{author}</b>
    </>
  );
}

/** The time for today, the date and the time for other days. */
export function messageTime(time: Date): string {
  const clock = { hour: 'numeric', minute: '2-digit' } as const;
  const now = new Date();
  if (time.toDateString() === now.toDateString()) return time.toLocaleTimeString(undefined, clock);
  const isThisYear = time.getFullYear() === now.getFullYear();
  return time.toLocaleString(undefined, {
    ...clock,
    month: 'short',
    day: 'numeric',
    ...(!isThisYear && { year: 'numeric' }),
  });
}
