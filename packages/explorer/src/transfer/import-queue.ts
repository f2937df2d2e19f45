/** The imports of this page, one file after the other. */
import type { ImportProgress, Transfer } from '@parley/client/transfer';
import { useCallback, useRef, useState } from 'react';
import { words } from '../words.js';

/** The largest number of chats and notes that a report lists; it counts the others. */
const MAX_NAMED = 20;

/** A text of a report, and its severity. */
export interface Note {
  kind: 'fault' | 'warning' | 'skipped';
  text: string;
}

export interface ImportJob {
  readonly id: number;
  readonly fileName: string;
  state: 'queued' | 'running' | 'ended';
  progress: ImportProgress | null;
  /** The first imported chats of the file. */
  chats: { id: string; title: string }[];
  chatCount: number;
  /** The number of unchanged chats that were imported before. */
  unchangedCount: number;
  /** The first notes of each kind. */
  notes: Note[];
  noteCounts: Record<Note['kind'], number>;
  /** Ends the import. Imported chats are kept. */
  stop(): void;
}

export interface ImportQueue {
  jobs: readonly ImportJob[];
  add(files: Iterable<File>): void;
  close(job: ImportJob): void;
}

export function useImportQueue(transfer: Transfer): ImportQueue {
  const [jobs, setJobs] = useState<readonly ImportJob[]>([]);
  const last = useRef<Promise<void>>(Promise.resolve());
  const nextId = useRef(0);
  const add = useCallback(
    (files: Iterable<File>) => {
      const added = Array.from(files, (file) => {
        const stopping = new AbortController();
        const job = newJob(nextId.current++, file.name, () => {
          stopping.abort();
          if (job.state === 'queued') job.state = 'ended';
          changed();
        });
        const changed = () => setJobs((all) => all.map((other) => (other.id === job.id ? { ...job } : other)));
        last.current = last.current.then(() => run(transfer, file, job, stopping.signal, changed));
        return job;
      });
      if (added.length === 0) return;
      // New files replace the previous reports after all previous imports have ended.
      setJobs((all) => [...(all.some(({ state }) => state !== 'ended') ? all : []), ...added]);
    },
    [transfer],
  );
  const close = useCallback((job: ImportJob) => setJobs((all) => all.filter(({ id }) => id !== job.id)), []);
  return { jobs, add, close };
}

function newJob(id: number, fileName: string, stop: () => void): ImportJob {
  return {
    ...{ id, fileName, stop, state: 'queued', progress: null, chats: [], chatCount: 0, unchangedCount: 0, notes: [] },
    noteCounts: { fault: 0, warning: 0, skipped: 0 },
  };
}

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
  if (job.state === 'ended') return;
  job.state = 'running';
  changed();
  const onProgress = (progress: ImportProgress) => {
    job.progress = progress;
    changed();
  };
  try {
    for await (const line of transfer.importChats(file, { signal, onProgress })) {
      if ('totals' in line) for (const part of line.leftOut) note('skipped', part);
      else if ('couldNotRead' in line) note('fault', `${line.couldNotRead.place}: ${line.couldNotRead.reason}`);
      else {
        const { result, chatId, title, place, warnings } = line.conversation;
        if (result === 'unchanged') job.unchangedCount++;
        if (job.chatCount++ < MAX_NAMED) {
          job.chats = [...job.chats, { id: chatId, title: title ?? `${words.untitled}, ${place}` }];
        }
        for (const warning of warnings) note('warning', `${place}: ${warning}`);
      }
      changed();
    }
  } catch (reason) {
    note('fault', signal.aborted ? words.stopped : (reason as Error).message);
  }
  job.state = 'ended';
  changed();
}
