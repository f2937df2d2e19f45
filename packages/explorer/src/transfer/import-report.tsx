import { CircleAlert, CircleCheck, CircleDashed, CircleStop, LoaderCircle, type LucideIcon } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { Button } from '../design/button.js';
import { Miniature } from '../miniature/miniature.js';
import { PICTURES_PER_REQUEST, usePictures } from '../miniature/use-pictures.js';
import { linkTo } from '../place.js';
import { bytes as bytesText, counted } from '../words.js';
import { chooseImport } from './choose.js';
import { READ_PRODUCTS } from './choose-buttons.js';
import { isEnded, needsOtherFile, shareOf, type ImportJob, type Note } from './import-queue.js';

const NOTES: readonly [kind: Note['kind'], noun: string][] = [
  ['fault', 'error'],
  ['warning', 'warning'],
  ['skipped', 'skipped part'],
];

const STATES: Record<ImportJob['state'], [name: string, icon: LucideIcon]> = {
  queued: ['Queued', CircleDashed],
  running: ['Importing', LoaderCircle],
  done: ['Done', CircleCheck],
  failed: ['Failed', CircleAlert],
  stopped: ['Stopped', CircleStop],
};

/** The size of the picture of an imported chat. */
const PICTURE = { width: 120, height: 40 };

/** Any version of the chat is after its import. */
const ofChat = ({ id }: { id: string }) => ({ id, version: 0, messageCount: 1 });

interface ImportReportProps {
  job: ImportJob;
  onClose(job: ImportJob): void;
}

/** The progress and the result of one import. */
export const ImportReport = memo(function ImportReport({ job, onClose }: ImportReportProps): ReactNode {
  const { fileName, size, state, chats, chatCount, unchangedCount, notes, noteCounts } = job;
  const [name, Icon] = STATES[state];
  const pictures = usePictures(isEnded(job) ? chats.slice(0, PICTURES_PER_REQUEST).map(ofChat) : []);
  const isUnexplained = state === 'failed' && noteCounts.fault === 0;
  const isOther = needsOtherFile(job);
  return (
    <section className="report" aria-label={`Import of ${fileName}`} role="status" data-state={state}>
      <h3>
        <Icon aria-hidden />
        <bdi>{fileName}</bdi>
      </h3>
      <p className="report-facts">
        <span>{name}</span>
        <span>{bytesText(size)}</span>
        {(chatCount > 0 || state === 'stopped') && (
          <span>
            {counted(chatCount, 'chat')}
            {unchangedCount > 0 && `, ${unchangedCount.toLocaleString('en')} of them unchanged`}
          </span>
        )}
      </p>
      {isOther && (
        <p>
          {isUnexplained ? 'This file contains no chats.' : 'This is not a chat export that Parley knows.'} Parley reads
          exports of {READ_PRODUCTS}.
        </p>
      )}
      {!isEnded(job) && <Progress job={job} />}
      {chats.length > 0 && (
        <ul className="imported">
          {chats.map(({ id, title }) => {
            const picture = pictures.get(id);
            return (
              <li key={id}>
                <a href={linkTo({ chatId: id })} dir="auto">
                  {picture && <Miniature {...PICTURE} chains={picture.chains} headId={picture.headId} />}
                  {title}
                </a>
              </li>
            );
          })}
        </ul>
      )}
      {chatCount > chats.length && <p className="rest">{`${(chatCount - chats.length).toLocaleString('en')} more`}</p>}
      {NOTES.map(([kind, noun]) => {
        const shown = notes.filter((note) => note.kind === kind);
        if (shown.length === 0) return null;
        return (
          <details key={kind} className="notes" open={kind === 'fault' || isUnexplained}>
            <summary>{counted(noteCounts[kind], noun)}</summary>
            {shown.map(({ text }, n) => (
              <p key={n} className={kind} dir="auto">
                {text}
              </p>
            ))}
            {noteCounts[kind] > shown.length && (
              <p>{`${(noteCounts[kind] - shown.length).toLocaleString('en')} more`}</p>
            )}
          </details>
        );
      })}
      <footer>
        {!isEnded(job) && <Button onClick={job.stop}>Stop</Button>}
        {isEnded(job) && (
          <>
            {(job.canRetry || state === 'stopped') && <Button onClick={job.retry}>Retry</Button>}
            {isOther && <Button onClick={chooseImport}>Choose another file</Button>}
            <Button onClick={() => onClose(job)}>Close</Button>
          </>
        )}
      </footer>
    </section>
  );
});

function Progress({ job }: { job: ImportJob }): ReactNode {
  const { fileName, state, progress } = job;
  const text = state === 'running' ? progressText(progress) : '';
  // The server has all bytes, and has not answered: neither has a measure.
  const share = text.endsWith('…') ? undefined : (shareOf(job) ?? undefined);
  return (
    <div className="report-progress">
      <progress aria-label={`Import of ${fileName}`} value={share} />
      {text !== '' && <span>{text}</span>}
    </div>
  );
}

function progressText(progress: ImportJob['progress']): string {
  if (progress === null || progress.state === 'waiting') return 'Waiting for the server…';
  const { state, bytes, of } = progress;
  if (bytes === of) return state === 'sending' ? 'Waiting for the server…' : 'Saving…';
  return `${state === 'sending' ? 'Sending' : 'Reading'} ${megabytes(bytes, of)}`;
}

/** A number of bytes in MB, and the number of all. */
function megabytes(bytes: number, of: number | null): string {
  const inMegabytes = (count: number) => (count / 1e6).toLocaleString('en', { maximumFractionDigits: 1 });
  return of === null ? `${inMegabytes(bytes)} MB` : `${inMegabytes(bytes)} of ${inMegabytes(of)} MB`;
}
