import { useParley, useThread } from '@parley/client/react';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { linkTo } from '../place.js';
import { Body } from '../thread/body.js';
import { usePath } from '../use-path.js';
import { words } from '../words.js';
import { branchesAt, readLog, ReadEvents, type LoggedEvent } from './events.js';

const PAGE = 100;

/** The log of a chat, newest first: who moved which head from where to where; and the chat as it was at any of them. */
export default function History({ chatId }: { chatId: string }): ReactNode {
  const parley = useParley();
  const { chat, version } = useThread(chatId);
  const [events, setEvents] = useState<readonly LoggedEvent[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);
  const [kind, setKind] = useState<keyof typeof words.eventKinds>('all');
  const [then, setThen] = useState<number | null>(null);
  const [failed, setFailed] = useState('');
  const isRead = chat !== null;
  const { types } = words.eventKinds[kind];
  const filter = types === null ? null : { types: [...types] };
  const asked = JSON.stringify(filter);
  useEffect(() => {
    if (!isRead) return;
    const reading = new AbortController();
    parley.run(ReadEvents, { chatId, last: PAGE, filter: JSON.parse(asked) as typeof filter }, reading.signal).then(
      ({ chat: found }) => {
        setEvents(found?.events.edges.map(({ node }) => node) ?? []);
        setCursor(found?.events.pageInfo.hasPreviousPage ? found.events.pageInfo.startCursor : null);
      },
      (reason: Error) => {
        if (!reading.signal.aborted) setFailed(reason.message);
      },
    );
    return () => reading.abort();
  }, [parley, chatId, isRead, version, asked]);
  const older = async () => {
    const { chat: found } = await parley.run(ReadEvents, { chatId, last: PAGE, before: cursor, filter });
    setEvents((known) => [...(found?.events.edges.map(({ node }) => node) ?? []), ...known]);
    setCursor(found?.events.pageInfo.hasPreviousPage ? found.events.pageInfo.startCursor : null);
  };
  if (failed !== '') return <p role="alert">{failed}</p>;
  if (!isRead) return <p className="hint">{words.loading}</p>;
  return (
    <article className="history">
      <label>
        {words.show}{' '}
        <select value={kind} onChange={({ target }) => setKind(target.value as typeof kind)}>
          {Object.entries(words.eventKinds).map(([name, { label }]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <div className="sides">
        <ol reversed>
          {events.toReversed().map((event) => (
            <li key={event.seq} aria-current={event.seq === then ? 'true' : undefined}>
              <small>
                {event.seq} · <time dateTime={event.createdAt}>{new Date(event.createdAt).toLocaleString()}</time> ·{' '}
                <span dir="auto">{event.actorId}</span>
              </small>
              <p>
                <Told chatId={chatId} event={event} />
              </p>
              <button aria-label={words.asItWasAt(event.seq)} onClick={() => setThen(event.seq)}>
                {words.asItWas}
              </button>
            </li>
          ))}
          {cursor !== null && (
            <li>
              <button onClick={() => void older()}>{words.more}</button>
            </li>
          )}
        </ol>
        {then !== null && <Then key={then} chatId={chatId} seq={then} />}
      </div>
    </article>
  );
}

function Told({ chatId, event }: { chatId: string; event: LoggedEvent }): ReactNode {
  const { __typename, branch, name, previousName, headId, previousHeadId, messageId, userId, previousUserId } = event;
  const place = (id: string | null | undefined) =>
    id ? <a href={linkTo({ chatId, messageId: id })}>{id.slice(0, 8)}</a> : words.nowhere;
  const said = words.events[__typename] ?? __typename;
  return (
    <>
      {said} <b dir="auto">{name ?? branch?.name}</b>
      {previousName !== undefined && ` (${words.before}: ${previousName})`}
      {previousHeadId !== undefined && (
        <>
          : {place(previousHeadId)} → {place(headId)}
        </>
      )}
      {__typename === 'BranchCreated' && <> {place(headId)}</>}
      {messageId !== undefined && <> {place(messageId)}</>}
      {userId !== undefined && `: ${previousUserId} → ${userId}`}
    </>
  );
}

/** The chat as it was after an event: nothing can be done there. */
function Then({ chatId, seq }: { chatId: string; seq: number }): ReactNode {
  const parley = useParley();
  const [log, setLog] = useState<readonly LoggedEvent[] | null>(null);
  const [shown, setShown] = useState<string | null>(null);
  useEffect(() => {
    const reading = new AbortController();
    readLog(parley, chatId, reading.signal).then(setLog, () => {});
    return () => reading.abort();
  }, [parley, chatId, seq]);
  const branches = useMemo(() => branchesAt(log ?? [], seq), [log, seq]);
  const headId = shown ?? (branches.find(({ isActive }) => isActive) ?? branches[0])?.headId ?? null;
  const steps = usePath(headId);
  if (log === null) return <p className="hint">{words.loading}</p>;
  return (
    <section aria-label={words.then(seq)}>
      <h3>{words.then(seq)}</h3>
      <ul className="branches-then">
        {branches.map(({ name, headId: head, isActive }) => (
          <li key={name}>
            <button aria-pressed={head === headId} disabled={head === null} onClick={() => setShown(head)}>
              <span dir="auto">{name}</span>
              {isActive && ` (${words.active})`}
            </button>
          </li>
        ))}
      </ul>
      {steps === null && <p className="hint">{words.loading}</p>}
      {steps?.map(({ id, name, text, data }) => (
        <div key={id} className="step" data-role={name}>
          <header dir="auto">{name}</header>
          <Body text={text} data={data} />
        </div>
      ))}
    </section>
  );
}
