/** The imports of this page, one file after the other. */
import type { ImportProgress, Transfer } from '@parley/client/transfer';
import { codeOf } from '@parley/transport/errors';
import { useCallback, useRef, useState } from 'react';
import { filesIn, type ChosenFile } from './files-in.js';
import type { Batch } from './choose.js';

/** The largest number of chats and notes that a report lists; it counts the others. */
const MAX_NAMED = 20;

/** A text of a report, and its severity. */
export interface Note {
  kind: 'fault' | 'warning' | 'skipped';
  text: string;
}

/** The results of an import so far. */
interface Results {
  progress: ImportProgress | null;
  /** The first imported chats of the file. */
  chats: { id: string; title: string }[];
  chatCount: number;
  /** The number of unchanged chats that were imported before. */
  unchangedCount: number;
  /** The first notes of each kind. */
  notes: Note[];
  noteCounts: Record<Note['kind'], number>;
  /** Whether the same file can have another result: it was stopped, or the network, the server or a part of it failed. */
  canRetry: boolean;
}

export interface ImportJob extends Results {
  readonly id: number;
  /** The name of the file, with its folders. */
  readonly fileName: string;
  /** In bytes. */
  readonly size: number;
  state: 'queued' | 'running' | 'done' | 'failed' | 'stopped';
  /** Ends the import. Imported chats are kept. */
  stop(): void;
  /** Imports the file again, after all others of the queue. */
  retry(): void;
}

export const isEnded = ({ state }: ImportJob): boolean => state !== 'queued' && state !== 'running';

/** Whether nothing was read, and the same file would fail again. */
export const needsOtherFile = ({ state, canRetry }: ImportJob): boolean => state === 'failed' && !canRetry;

/** The part of a file that is done, from 0 to 1: one half is the upload, one the reading by the server. Null when it is unknown. */
export function shareOf({ progress }: Pick<ImportJob, 'progress'>): number | null {
  if (progress === null) return 0;
  if (progress.state === 'waiting') return 0.5;
  const { state, bytes, of } = progress;
  if (of === null || of === 0) return null;
  return (state === 'sending' ? 0 : 0.5) + bytes / of / 2;
}

export interface ImportQueue {
  jobs: readonly ImportJob[];
  /** The number of files that the last choice left out. */
  skipped: number;
  add(batch: Batch): Promise<void>;
  close(job: ImportJob): void;
}

export function useImportQueue(transfer: Transfer): ImportQueue {
  const [jobs, setJobs] = useState<readonly ImportJob[]>([]);
  const [skipped, setSkipped] = useState(0);
  const last = useRef<Promise<void>>(Promise.resolve());
  const nextId = useRef(0);
  const newJob = useCallback(
    ({ file, path }: ChosenFile): ImportJob => {
      let stopping = new AbortController();
      const changed = () => setJobs((all) => all.map((other) => (other.id === job.id ? { ...job } : other)));
      const queue = () => {
        const { signal } = (stopping = new AbortController());
        last.current = last.current.then(() => run(transfer, file, job, signal, changed));
      };
      const job: ImportJob = {
        ...{ id: nextId.current++, fileName: path, size: file.size, state: 'queued', ...noResults() },
        stop: () => {
          stopping.abort();
          if (job.state === 'queued') job.state = 'stopped';
          changed();
        },
        retry: () => {
          if (!isEnded(job)) return;
          Object.assign(job, noResults(), { state: 'queued' });
          queue();
          changed();
        },
      };
      queue();
      return job;
    },
    [transfer],
  );
  const add = useCallback(
    async (batch: Batch) => {
      const chosen = await filesIn(batch);
      setSkipped(chosen.skipped);
      const added = chosen.files.map(newJob);
      if (added.length === 0) return;
      // New files replace the previous reports after all previous imports have ended.
      setJobs((all) => [...(all.every(isEnded) ? [] : all), ...added]);
    },
    [newJob],
  );
  const close = useCallback((job: ImportJob) => setJobs((all) => all.filter(({ id }) => id !== job.id)), []);
  return { jobs, skipped, add, close };
}

const noResults = (): Results => ({
  ...{ progress: null, chats: [], chatCount: 0, unchangedCount: 0, notes: [] },
  ...{ noteCounts: { fault: 0, warning: 0, skipped: 0 }, canRetry: false },
});

async function run(
  transfer: Transfer,
  file: File,
  job: ImportJob,
  signal: AbortSignal,
  changed: () => void,
): Promise<void> {
  const note = (kind: Note['kind'], text: string) => {
    if (job.noteCounts[kind]++ < MAX_NAMED) job.notes = [...job.notes, { kind, text }];
  };
  const isStopped = () => signal.aborted;
  if (isStopped()) return;
  job.state = 'running';
  changed();
  const onProgress = (progress: ImportProgress) => {
    job.progress = progress;
    changed();
  };
  let hasFailed = false;
  try {
    for await (const line of transfer.importChats(file, { signal, onProgress })) {
      if ('totals' in line) for (const part of line.leftOut) note('skipped', part);
      else if ('couldNotRead' in line) {
        const { place, reason, format } = line.couldNotRead;
        note('fault', `${place}: ${reason}`);
        job.canRetry ||= format !== null;
      } else {
        const { result, chatId, title, place, warnings } = line.conversation;
        if (result === 'unchanged') job.unchangedCount++;
        if (job.chatCount++ < MAX_NAMED) {
          job.chats = [...job.chats, { id: chatId, title: title ?? `Untitled, ${place}` }];
        }
        for (const warning of warnings) note('warning', `${place}: ${warning}`);
      }
      changed();
    }
  } catch (reason) {
    hasFailed = true;
    // The file is no archive or text, such as an image.
    job.canRetry = codeOf(reason) !== 'BAD_REQUEST';
    note('fault', isStopped() ? 'Stopped: the chats above are imported.' : (reason as Error).message);
  }
  job.state = isStopped() ? 'stopped' : hasFailed || job.chatCount === 0 ? 'failed' : 'done';
  changed();
}
