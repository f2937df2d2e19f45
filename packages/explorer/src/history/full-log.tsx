import { useParley, useThread } from '@parley/client/react';
import { Eye, History as HistoryIcon } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useRead } from '../requests/use-read.js';
import { Button } from '../design/button.js';
import { EmptyState } from '../design/placeholder.js';
import { EventIcon, EventText } from './event-text.js';
import { ReadEvents, type ChatEventType } from '../generated/operations.js';
import { withPage, type LoggedEvent, type LogPart } from './events.js';
import { useNamed, usePreviews } from './use-named.js';

const PAGE = 100;

type EventKind = 'all' | 'heads' | 'branches' | 'checkpoints';

const EVENT_KINDS: Record<EventKind, { label: string; types: readonly ChatEventType[] | null }> = {
  all: { label: 'All events', types: null },
  heads: { label: 'Head moves', types: ['BRANCH_HEAD_MOVED'] },
  branches: {
    label: 'Branches',
    types: ['BRANCH_CREATED', 'BRANCH_ACTIVATED', 'BRANCH_RENAMED', 'BRANCH_DELETED'],
  },
  checkpoints: { label: 'Checkpoints', types: ['CHECKPOINT_SAVED', 'CHECKPOINT_DELETED'] },
};

/** The users that the filter lists. */
const MAX_ACTORS = 100;

interface FullLogProps {
  chatId: string;
  /** The event whose state is shown; null for none. */
  shown: number | null;
  onShow: (seq: number) => void;
}

/** All events of a chat, newest first, with filters. */
export default function FullLog({ chatId, shown, onShow }: FullLogProps): ReactNode {
  const { status, version } = useThread(chatId);
  const [kind, setKind] = useState<EventKind>('all');
  const [actorId, setActorId] = useState<string | null>(null);
  /** As `YYYY-MM-DD`; empty for all days. */
  const [day, setDay] = useState('');
  /** The users of all events that were read. */
  const [actors, setActors] = useState<readonly string[]>([]);
  return (
    <div className="full-log">
      <div className="history-filters">
        <label className="row">
          Show{' '}
          <select value={kind} onChange={({ target }) => setKind(target.value as typeof kind)}>
            {Object.entries(EVENT_KINDS).map(([name, { label }]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label className="row">
          Day <input type="date" value={day} onChange={({ target }) => setDay(target.value)} />
        </label>
        {(actors.length > 1 || actorId !== null) && (
          <label className="row">
            User{' '}
            <select value={actorId ?? ''} onChange={({ target }) => setActorId(target.value || null)}>
              <option value="">All</option>
              {actors.map((id) => (
                <option key={id}>{id}</option>
              ))}
            </select>
          </label>
        )}
      </div>
      <Events
        key={`${kind} ${day} ${actorId}`}
        {...{ chatId, version, kind, day, actorId, isAway: status === 'away', shown, onShow }}
        onActors={(ids) => setActors((known) => [...new Set([...known, ...ids])].slice(0, MAX_ACTORS))}
      />
    </div>
  );
}

interface EventsProps {
  chatId: string;
  version: number;
  /** Read the log again after a reconnection. */
  isAway: boolean;
  kind: EventKind;
  /** Only events of this user; null for all. */
  actorId: string | null;
  /** Only events of this day; empty for all. */
  day: string;
  shown: number | null;
  onShow: (seq: number) => void;
  /** Receives the users of events. */
  onActors: (ids: string[]) => void;
}

/** Live events of one kind, and older ones on request. */
function Events({ chatId, version, isAway, kind, actorId, day, shown, onShow, onActors }: EventsProps): ReactNode {
  const parley = useParley();
  const [{ events, cursor }, setLog] = useState<LogPart>({ events: [], cursor: null });
  const [isRead, setIsRead] = useState(false);
  const read = async (before: string | null, signal?: AbortSignal) => {
    const { types } = EVENT_KINDS[kind];
    const filter = { types: types && [...types], actorId, ...timesOf(day) };
    const { chat } = await parley.run(ReadEvents, { chatId, last: PAGE, before, filter }, signal);
    if (chat !== null) {
      setLog((known) => withPage(known, chat.events));
      onActors(chat.events.edges.map(({ node }) => node.actorId));
    }
    setIsRead(true);
    setFailed('');
  };
  // Another chat or kind is another component.
  const [failed, setFailed] = useRead((signal) => read(null, signal), [parley, version, isAway]);
  const previews = usePreviews(useNamed(events));
  return (
    <div>
      {failed !== '' && <p role="alert">{failed}</p>}
      {isRead && events.length === 0 && (
        <EmptyState
          icon={HistoryIcon}
          text={day === '' ? 'No events of this kind.' : 'No events of this kind on this day.'}
        />
      )}
      {byDay(events).map(([day, ofDay]) => (
        <section key={day}>
          <h2>{day}</h2>
          <ol className="timeline" reversed start={ofDay[0]?.seq}>
            {ofDay.map((event) => (
              <li key={event.seq} aria-current={event.seq === shown ? 'true' : undefined}>
                <EventIcon type={event.__typename} />
                <p>
                  <EventText chatId={chatId} event={event} previews={previews} />
                </p>
                <small>
                  <time dateTime={event.createdAt}>{new Date(event.createdAt).toLocaleTimeString()}</time> ·{' '}
                  <span dir="auto">{event.actorId}</span> · {event.seq}
                </small>
                <Button icon={Eye} aria-label={`State after event ${event.seq}`} onClick={() => onShow(event.seq)}>
                  State
                </Button>
              </li>
            ))}
          </ol>
        </section>
      ))}
      {cursor !== null && (
        <Button onClick={() => void read(cursor).catch(({ message }: Error) => setFailed(message))}>Show more</Button>
      )}
    </div>
  );
}

/** The bounds of a day in the time zone of the browser, both exclusive. */
function timesOf(day: string): { after?: string; before?: string } {
  if (day === '') return {};
  const start = new Date(`${day}T00:00`);
  const next = new Date(start.getFullYear(), start.getMonth(), start.getDate() + 1);
  return { after: new Date(start.getTime() - 1).toISOString(), before: next.toISOString() };
}

/** Newest first. */
function byDay(events: readonly LoggedEvent[]): [day: string, events: LoggedEvent[]][] {
  const days = new Map<string, LoggedEvent[]>();
  for (const event of events.toReversed()) {
    const day = new Date(event.createdAt).toLocaleDateString(undefined, { dateStyle: 'full' });
    const ofDay = days.get(day);
    if (ofDay === undefined) days.set(day, [event]);
    else ofDay.push(event);
  }
  return [...days];
}
