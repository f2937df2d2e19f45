import { CircleAlert, CircleCheck, CircleDashed, CircleStop, LoaderCircle, type LucideIcon } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { Button } from '../design/button.js';
import { linkTo } from '../place.js';
import { bytes as bytesText, words } from '../words.js';
import { isEnded, type ImportJob, type Note } from './import-queue.js';
import { transferWords } from './transfer-words.js';

const KINDS: readonly Note['kind'][] = ['fault', 'warning', 'skipped'];

const ICONS: Record<ImportJob['state'], LucideIcon> = {
  queued: CircleDashed,
  running: LoaderCircle,
  done: CircleCheck,
  failed: CircleAlert,
  stopped: CircleStop,
};

interface ImportReportProps {
  job: ImportJob;
  onClose(job: ImportJob): void;
}

/** The progress and the result of one import. */
export const ImportReport = memo(function ImportReport({ job, onClose }: ImportReportProps): ReactNode {
  const { fileName, size, state, chats, chatCount, unchangedCount, notes, noteCounts } = job;
  const Icon = ICONS[state];
  return (
    <section className="report" aria-label={transferWords.reportOf(fileName)} role="status" data-state={state}>
      <h3>
        <Icon aria-hidden />
        <bdi>{fileName}</bdi>
      </h3>
      <p className="report-facts">
        <span>{transferWords.states[state]}</span>
        <span>{bytesText(size)}</span>
        <span>
          {words.chatsCount(chatCount)}
          {unchangedCount > 0 && `, ${transferWords.unchanged(unchangedCount)}`}
        </span>
      </p>
      {!isEnded(job) && <Progress job={job} />}
      {chats.length > 0 && (
        <ul>
          {chats.map(({ id, title }) => (
            <li key={id}>
              <a href={linkTo({ chatId: id })} dir="auto">
                {title}
              </a>
            </li>
          ))}
        </ul>
      )}
      {chatCount > chats.length && <p className="rest">{words.between(chatCount - chats.length)}</p>}
      {KINDS.map((kind) => {
        const shown = notes.filter((note) => note.kind === kind);
        if (shown.length === 0) return null;
        return (
          <details key={kind} className="notes" open={kind === 'fault'}>
            <summary>{transferWords.notes[kind](noteCounts[kind])}</summary>
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
        {!isEnded(job) && <Button onClick={job.stop}>{words.stop}</Button>}
        {isEnded(job) && (
          <>
            {(state !== 'done' || noteCounts.fault > 0) && <Button onClick={job.retry}>{transferWords.retry}</Button>}
            <Button onClick={() => onClose(job)}>{words.close}</Button>
          </>
        )}
      </footer>
    </section>
  );
});

function Progress({ job: { fileName, state, progress } }: { job: ImportJob }): ReactNode {
  const isMeasured = state === 'running' && progress !== null && progress.state !== 'waiting';
  const { bytes, of } = isMeasured ? progress : { bytes: 0, of: null };
  return (
    <div className="report-progress">
      <progress
        aria-label={transferWords.reportOf(fileName)}
        value={of === null ? undefined : bytes}
        max={of ?? undefined}
      />
      {isMeasured ? (
        <span>{transferWords.progress[progress.state](bytes, of)}</span>
      ) : (
        state === 'running' && <span>{transferWords.waitingForServer}</span>
      )}
    </div>
  );
}
