import { useThread } from '@parley/client/react';
import { List } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useLabeled } from '../branch-labels/use-branch-labels.js';
import { Button } from '../design/button.js';
import { Skeleton } from '../design/placeholder.js';
import { notify } from '../design/toast.js';
import { lazyPart } from '../lazy-part.js';
import { Missing } from '../missing.js';
import { useRights } from '../role.js';
import { ActRow } from './act-row.js';
import type { ActKind } from './acts.js';
import { byDay, dayId, dayName, DayRail } from './day-rail.js';
import { Then } from './then.js';
import { useActs } from './use-acts.js';
import './history.css';

const FullLog = lazyPart(() => import('./full-log.js'));

const FILTERS: readonly [label: string, kinds: readonly ActKind[]][] = [
  ['Everything', []],
  ['Questions', ['started', 'asked']],
  ['Edits', ['edited', 'retried']],
  ['Answers', ['answered']],
  ['Branches', ['switched', 'went-back', 'aside', 'moved']],
  ['Checkpoints', ['checkpoint']],
];

/** The acts of people in a chat, newest first, with the graph before and after; all events; and the state at any of them. */
export default function History({ chatId }: { chatId: string }): ReactNode {
  const { status, error, chat } = useThread(chatId);
  const [isFull, setIsFull] = useState(false);
  const [then, setThen] = useState<number | null>(null);
  if (chat === null || status === 'gone') return <Missing status={status} error={error} />;
  return (
    <article className="history">
      <Button className="button full-log-button" icon={List} aria-pressed={isFull} onClick={() => setIsFull(!isFull)}>
        Full log
      </Button>
      <div className="sides">
        {isFull ? (
          <FullLog chatId={chatId} shown={then} onShow={setThen} />
        ) : (
          <Acts chatId={chatId} onState={setThen} />
        )}
        {then !== null && <Then key={then} chatId={chatId} seq={then} onClose={() => setThen(null)} />}
      </div>
    </article>
  );
}

function Acts({ chatId, onState }: { chatId: string; onState(seq: number): void }): ReactNode {
  const { store, version, status, branches: unlabeled, drafts } = useThread(chatId);
  const branches = useLabeled(unlabeled);
  const [filter, setFilter] = useState(0);
  const { acts, chains, previews, hasOlder, isRead, failed, readOlder } = useActs(
    chatId,
    version,
    status === 'away',
    branches,
  );
  const mayWrite = useRights(chatId)('WRITER');
  const active = branches.find(({ isActive }) => isActive);
  const restore = async (headId: string) => {
    const done = await store.rewind(headId);
    if (!done.ok) return notify({ text: done.error.message, isUrgent: true });
    notify({
      text: 'Restored on a new branch.',
      timeoutMs: 10_000,
      ...(active && { action: { label: 'Undo', run: () => void store.switchBranch(active.name) } }),
    });
  };
  const kinds = FILTERS[filter]?.[1] ?? [];
  const shown = kinds.length === 0 ? acts : acts.filter(({ kind }) => kinds.includes(kind));
  const days = byDay(shown);
  const isShared = new Set(acts.map(({ events }) => events[0]?.actorId)).size > 1;
  const isWriting = drafts.some(({ parentId }) => parentId !== null && parentId === active?.headId);
  return (
    <div className="acts">
      <DayRail days={byDay(acts)} />
      <div>
        {failed !== '' && <p role="alert">{failed}</p>}
        {!isRead && failed === '' && <Skeleton />}
        <div className="act-filters" role="group" aria-label="Show">
          {FILTERS.map(([label, only], n) => {
            const count = only.length === 0 ? acts.length : acts.filter(({ kind }) => only.includes(kind)).length;
            return (
              count > 0 && (
                <button key={label} className="chip" aria-pressed={n === filter} onClick={() => setFilter(n)}>
                  {label} <small>{count.toLocaleString('en')}</small>
                </button>
              )
            );
          })}
        </div>
        {days.map(([day, list]) => (
          <section key={day.getTime()} id={dayId(day)}>
            <h2>
              {dayName(day)} <small>{day.toLocaleDateString(undefined, { day: 'numeric', month: 'long' })}</small>
            </h2>
            <ol className="timeline">
              {list.map((act) => (
                <ActRow
                  key={act.events[0]?.seq}
                  {...{ chatId, act, chains, branches, previews, isShared, onState }}
                  now={act === acts[0] ? (isWriting ? 'Writing…' : 'Now') : null}
                  onRestore={mayWrite && act.headAfter !== active?.headId ? restore : null}
                />
              ))}
            </ol>
          </section>
        ))}
        {hasOlder && <Button onClick={readOlder}>Show more</Button>}
      </div>
    </div>
  );
}
