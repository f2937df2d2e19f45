/** Sources of `npm run import`: a file or a database. */
import type { ConversationStore } from '../../conversation/store.js';
import type { Files } from '../../files/files.js';
import { isSqliteFile, openSourceFile, type Reader, type ReadFailure } from '@parley/interchange/server';
import type { Adopt } from './parley/adopt-chat.js';
import { importFile } from './import-file.js';
import type { ConversationReport, ImportReport } from './conversations/import-report.js';
import { lockTemporaryFolders } from '../../system/locked-folders.js';
import { importOriginal } from './original/import-original.js';
import type { OriginalDatabase } from './original/original-database.js';
import { openSqliteOriginal } from './original/sqlite-original.js';

export interface ImportSource {
  /** Unit of progress. */
  readonly unit: 'MB' | 'chats';
  shown?: (amount: number) => string;
  /** Progress so far and in total. */
  progress(): [done: number, total: number];
  /** @param onRead called after each conversation, and with null as the reading continues */
  import(
    to: { store: ConversationStore; adopt: Adopt; files: Files },
    onRead: (read: ConversationReport | ReadFailure | null) => void,
  ): Promise<ImportReport>;
  close(): Promise<void>;
}

interface Asked {
  path: string;
  userId: string | null;
  format: Reader | null;
  into: string | null;
}

/** @throws UnreadableError */
export async function fileSource({ path, userId, format, into }: Asked): Promise<ImportSource> {
  if (path !== '-' && (await isSqliteFile(path))) return originalSource({ userId }, openSqliteOriginal(path));
  lockTemporaryFolders();
  const file = await openSourceFile(path);
  return {
    unit: 'MB',
    shown: (bytes) => (bytes / 1e6).toFixed(1),
    progress: () => [file.bytesRead(), file.size ?? file.bytesRead()],
    import: async ({ store, adopt, files }, onRead) => {
      onRead(null);
      const adopting = { adopt, owner: userId, actor: null };
      return importFile(store, userId ?? 'local', file, { format, into, adopting, files, onRead });
    },
    close: () => file.close(),
  };
}

/** @param database closed with the source */
export function originalSource({ userId }: Pick<Asked, 'userId'>, database: OriginalDatabase): ImportSource {
  let [done, total] = [0, 0];
  return {
    unit: 'chats',
    progress: () => [done, Math.max(done, total)],
    import: async ({ adopt, files }, onRead) => {
      total = await database.chatCount();
      return importOriginal(database, { adopt, owner: userId, actor: null }, files, (read) => {
        done++;
        onRead(read);
      });
    },
    close: () => database.close(),
  };
}
