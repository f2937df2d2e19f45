/** The texts of imports and exports. */
import { words } from '../words.js';

const counted = (count: number, noun: string): string =>
  count === 1 ? `1 ${noun}` : `${count.toLocaleString('en')} ${noun}s`;

export const transferWords = {
  imports: 'Imports',
  hint: 'Choose export files of other products, or a folder with some. You can drop both anywhere on the page.',
  hide: 'Hide the imports',
  overall: (ended: number, all: number, chats: number): string =>
    `${ended.toLocaleString('en')} of ${counted(all, 'file')}, ${words.chatsCount(chats)}`,
  skippedFiles: (count: number): string =>
    `${counted(count, 'file')} left out: no supported type, or beyond 1,000 files.`,
  reportOf: (file: string): string => `Import of ${file}`,
  unchanged: (count: number): string => `${count.toLocaleString('en')} of them unchanged`,
  stopped: 'Stopped: the chats above are imported.',
  retry: 'Retry',
  states: { queued: 'Queued', running: 'Importing', done: 'Done', failed: 'Failed', stopped: 'Stopped' },
  waitingForServer: 'Waiting for the server…',
  progress: {
    sending: (bytes: number, of: number | null): string => `Sending ${megabytes(bytes, of)}`,
    reading: (bytes: number, of: number | null): string => `Reading ${megabytes(bytes, of)}`,
  },
  notes: {
    fault: (count: number): string => counted(count, 'error'),
    warning: (count: number): string => counted(count, 'warning'),
    skipped: (count: number): string => counted(count, 'skipped part'),
  },
  chats: 'Chats',
  scopes: {
    chosen: (count: number): string => (count === 1 ? 'This chat' : `${count.toLocaleString('en')} selected chats`),
    all: 'All my chats',
  },
  format: 'Format',
  paths: 'Paths',
  pathKinds: {
    active: 'Active path',
    leaves: 'All paths, one to each end',
    checkpoints: 'Paths to the checkpoints',
  },
  wholeGraph: 'The file contains the whole graph.',
  losses: 'The file does not contain:',
  zip: 'Zip with a file for each chat',
  zipWithFiles: 'Zip with the files of messages',
  fileEach: 'The download has a file for each chat.',
  fileOfAll: 'The download is one file.',
  exported: (done: number, all: number): string => `${done.toLocaleString('en')} of ${words.chatsCount(all)} read`,
} as const;

/** A number of bytes in MB, and the number of all. */
function megabytes(bytes: number, of: number | null): string {
  const inMegabytes = (count: number) => (count / 1e6).toLocaleString('en', { maximumFractionDigits: 1 });
  return of === null ? `${inMegabytes(bytes)} MB` : `${inMegabytes(bytes)} of ${inMegabytes(of)} MB`;
}
