/** What files do with changes of chats: the references of new messages, their owners, and erasures. */
import { fileReferences } from '../../conversation/files/file-references.js';
import type { MessageFile } from '../../conversation/files/file-records.js';
import type { Row } from '../../conversation/tables.js';
import type { ChangeHooks } from '../../database/change-hooks.js';
import type { Connection } from '../../database/connection/connection.js';
import { byKey, type Keyed } from '../../database/reading/rows.js';
import { checkUserFiles } from './records/use-files.js';
import { fileStatements } from './statements.js';
import { usesIn } from './use-in-messages.js';

declare module '../../conversation/reads.js' {
  interface FeatureReads {
    /** The files of each message, in the order of its references. */
    messageFiles(ids: readonly string[]): Promise<MessageFile[][]>;
  }
}

/** @param maxUserBytes the limit of the files of a user, with those of forks */
export function fileChanges({ sql: { differences } }: Connection, maxUserBytes = Infinity) {
  const sql = fileStatements(differences);
  return {
    check: usesIn(sql),
    messageStatements: (messages) => {
      const rows: Row<'message_files'>[] = [];
      for (const { chatId, id: messageId, data } of messages) {
        let position = 0;
        for (const reference of fileReferences(data))
          rows.push({ chatId, messageId, position: position++, ...reference });
      }
      return rows.length === 0 ? [] : [sql.insertMessageFiles(rows)];
    },
    takeOver: async ({ id, userId }, by, now, tx) => {
      const given = await tx.run(sql.giveFilesOfChat(id, userId, now));
      if (by === 'fork' && given > 0) await checkUserFiles(tx, sql, userId, maxUserBytes);
    },
    storedBytes: (userId) => sql.bytesOfUser(userId),
    erase: (userId) => [sql.abandonFilesOfUser(userId)],
    reads: ({ rows }) => ({
      messageFiles: async (ids) => {
        const found = await rows<Keyed & MessageFile>(sql.filesOfMessages(ids), ids.length);
        return byKey(found, ids, ({ id, name, mediaType, size }) => ({ id, name, mediaType, size }));
      },
    }),
  } satisfies ChangeHooks;
}
