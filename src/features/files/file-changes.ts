/** Files in changes of chats: the references of new messages, their owners, and erasures. */
import { fileReferences, referencesFault } from '../../conversation/files/file-references.js';
import type { PlacedFile } from '../../conversation/files/file-records.js';
import type { Row } from '../../conversation/tables.js';
import type { ChangeHooks, Writes } from '../../database/change-hooks.js';
import type { Connection } from '../../database/connection/connection.js';
import { byKey, type Keyed } from '../../database/reading/rows.js';
import { checkUserFiles, useFiles } from './records/use-files.js';
import { fileStatements, type FileStatements } from './statements.js';
import type { Sql } from 'sql-template-tag';
import { InvalidInputError } from '../../conversation/errors.js';

declare module '../../conversation/reads.js' {
  interface FeatureReads {
    /** The files of each message, in the order of its references. */
    messageFiles(ids: readonly string[]): Promise<PlacedFile[][]>;
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
        const found = await rows<Keyed & PlacedFile>(sql.filesOfMessages(ids), ids.length);
        return byKey(found, ids, ({ id, name, position, mediaType, size }) => ({
          id,
          name,
          position,
          mediaType,
          size,
        }));
      },
    }),
  } satisfies ChangeHooks;
}

/**
 * Lets the new messages of a change refer to their files: marks them as used, and gives those of the actor to the owner of
 * the chat.
 * @throws InvalidInputError when the actor may not refer to one of them: a hash alone grants nothing
 */
const usesIn =
  (sql: FileStatements): NonNullable<ChangeHooks['check']> =>
  ({ messages, role, actorId }, chat, tx) => {
    // The files of an import are those that its owner has.
    if (role === null) return undefined;
    const messageOf = new Map<string, string>();
    for (const { id, data } of messages) {
      const references = fileReferences(data);
      if (references.length === 0) continue;
      const fault = referencesFault(references);
      if (fault !== null) throw new InvalidInputError(`Message "${id}" ${fault}`, 'messages');
      for (const { fileId } of references) messageOf.set(fileId, id);
    }
    if (messageOf.size === 0) return undefined;
    const ids = [...messageOf.keys()];
    // The owner's files of other chats are not usable by a member.
    const usable =
      role === 'OWNER' ? sql.filesOfUsers([chat.userId, actorId], ids) : sql.filesOfMember(actorId, chat.id, ids);
    return requireUsable(messageOf, usable, { owner: chat.userId, tx, sql });
  };

async function requireUsable(
  messageOf: ReadonlyMap<string, string>,
  statement: Sql,
  { owner, tx, sql }: { owner: string; tx: Writes; sql: FileStatements },
): Promise<void> {
  const readUsable = async () => (await tx.rows<{ fileId: string }>(statement)).map(({ fileId }) => fileId);
  let usable = await readUsable();
  if (usable.length > 0) {
    const locked = await useFiles(tx, sql, owner, usable);
    // A sweep has removed one of them meanwhile.
    if (locked < usable.length) usable = await readUsable();
  }
  const found = new Set(usable);
  for (const [fileId, messageId] of messageOf) {
    if (found.has(fileId)) continue;
    throw new InvalidInputError(
      `Message "${messageId}" refers to file "${fileId}", which you have neither uploaded nor received in a chat: send it to POST /files first`,
      'messages',
    );
  }
}
