import type { ImportProgress } from '@parley/client/transfer';
import type { ReactNode } from 'react';
import { linkTo } from '../place.js';
import { Button } from '../design/button.js';
import { words } from '../words.js';
import type { ImportJob, Note } from './import-queue.js';

const KINDS: readonly Note['kind'][] = ['fault', 'warning', 'skipped'];

/** The progress and the result of one import. */
export function ImportReport({ job, onClose }: { job: ImportJob; onClose: () => void }): ReactNode {
  const { fileName, state, progress, chats, chatCount, unchangedCount, notes, noteCounts } = job;
  return (
    <section className="report" aria-label={words.reportOf(fileName)} role="status">
      <h3 dir="auto">{words.reportOf(fileName)}</h3>
      <p>
        {words.chatsCount(chatCount)}
        {unchangedCount > 0 && `, ${words.unchanged(unchangedCount)}`}
      </p>
      <ul>
        {chats.map(({ id, title }) => (
          <li key={id}>
            <a href={linkTo({ chatId: id })} dir="auto">
              {title}
            </a>
          </li>
        ))}
      </ul>
      {chatCount > chats.length && <p className="rest">{words.between(chatCount - chats.length)}</p>}
      {KINDS.map((kind) => {
        const shown = notes.filter((note) => note.kind === kind);
        if (shown.length === 0) return null;
        return (
          <details key={kind} className="notes" open={kind === 'fault'}>
            <summary>{words.notes[kind](noteCounts[kind])}</summary>
            {shown.map(({ text }, n) => (
              <p key={n} className={kind} dir="auto">
                {text}
              </p>
            ))}
            {noteCounts[kind] > shown.length && <p>{words.between(noteCounts[kind] - shown.length)}</p>}
          </details>
        );
      })}
      <footer>
        {state === 'ended' ? (
          <Button onClick={onClose}>{words.close}</Button>
        ) : (
          <>
            <Progress job={fileName} state={state} progress={progress} />
            <Button onClick={job.stop}>{words.stop}</Button>
          </>
        )}
      </footer>
    </section>
  );
}

interface ProgressProps {
  job: string;
  state: ImportJob['state'];
  progress: ImportProgress | null;
}

function Progress({ job, state, progress }: ProgressProps): ReactNode {
  if (state === 'queued' || progress === null || progress.state === 'waiting') {
    return (
      <>
        <progress aria-label={words.reportOf(job)} />{' '}
        <span>{state === 'queued' ? words.queued : words.waitingForServer}</span>
      </>
    );
  }
  const { bytes, of } = progress;
  return (
    <>
      <progress aria-label={words.reportOf(job)} value={of === null ? undefined : bytes} max={of ?? undefined} />{' '}
      <span>{words.progress[progress.state](bytes, of)}</span>
    </>
  );
}
