import type { Message, SiblingInfo } from '@parley/client';
import { useDraft } from '@parley/client/react';
import { ChevronLeft, ChevronRight, Settings2, Sparkles, Wrench, type LucideIcon } from 'lucide-react';
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

interface MessageHeaderProps {
  message: Message;
  chatId: string;
  siblings: SiblingInfo | null;
  /** Switches to another version. */
  onSwitch(messageId: string): void;
}

/** Avatar, name, model and time of a message, and the arrows to its other versions. */
export function MessageHeader({ message, chatId, siblings, onSwitch }: MessageHeaderProps): ReactNode {
  const { id, name, status, createdAt, createdBy, data } = message;
  const draft = useDraft(id);
  const { model } = factsOf(data, draft?.metadata);
  const { siblingIndex = 0, siblingCount = 1, previousId = null, nextId = null } = siblings ?? {};
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
        <span role="status" data-status={status}>
          {STATUSES[status]}
        </span>
      )}
      {siblingCount > 1 && (
        <span className="versions" role="group" aria-label={`Version ${siblingIndex + 1} of ${siblingCount}`}>
          <Arrow to={previousId} label="Previous version" icon={ChevronLeft} onSwitch={onSwitch} />
          <span>{`${siblingIndex + 1}/${siblingCount}`}</span>
          <Arrow to={nextId} label="Next version" icon={ChevronRight} onSwitch={onSwitch} />
        </span>
      )}
    </header>
  );
}

/** The avatar and the name of the author of a message. */
export function Author({ name, createdBy }: Pick<Message, 'name' | 'createdBy'>): ReactNode {
  const isViewer = name === 'user' && (createdBy === null || createdBy === viewerId());
  const shownName = isViewer ? 'You' : name === 'user' ? createdBy : (ROLE_NAMES[name] ?? name);
  const Icon = ICONS[name];
  return (
    <>
      <span className="avatar" data-role={name} aria-hidden>
        {Icon ? <Icon /> : (shownName ?? name).slice(0, 1).toUpperCase()}
      </span>
      <b dir="auto">{shownName}</b>
    </>
  );
}

/** The time for today, the date and the time for other days. */
function messageTime(time: Date): string {
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

interface ArrowProps {
  to: string | null;
  label: string;
  icon: LucideIcon;
  onSwitch(messageId: string): void;
}

function Arrow({ to, label, icon: Icon, onSwitch }: ArrowProps): ReactNode {
  return (
    <button type="button" aria-label={label} disabled={to === null} onClick={() => to !== null && onSwitch(to)}>
      <Icon aria-hidden />
    </button>
  );
}
