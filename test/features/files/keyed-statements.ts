import type { Sql } from 'sql-template-tag';
import type { Dialect } from '../../../src/database/dialects/dialect.js';
import { fileStatements } from '../../../src/features/files/statements.js';
import { rowOf } from '../../support/database/row-of.js';

/** Those that find rows by keys: see test/support/database/keyed-statements.ts. */
export function keyedStatements({ differences }: Dialect): Record<string, Sql[]> {
  const sql = fileStatements(differences);
  return {
    filesOfUsers: [sql.filesOfUsers(['u'], ['f'])],
    markFilesUsed: [sql.markFilesUsed(['f'], 9)],
    markUserFilesUsed: [sql.markUserFilesUsed('u', ['f'], 9)],
    giveFiles: [sql.giveFiles('u', ['f'], 9)],
    giveFilesOfChat: [sql.giveFilesOfChat('c', 'u', 9)],
    insertMessageFiles: [sql.insertMessageFiles([rowOf('message_files')])],
    filesOfChat: [sql.filesOfChat('c', 'f', 9)],
    filesOfMessages: [sql.filesOfMessages(['m'])],
    filesInMessages: [sql.filesInMessages([{ fileId: 'f', messageId: 'm' }])],
    replaceContent: [sql.replaceContent('f', { lostKey: 'k', storageKey: 'l' })],
    filesOfMember: [sql.filesOfMember('u', 'c', ['f', 'g'])],
    fileInSharedChat: [sql.fileInSharedChat('f', 'u', null), sql.fileInSharedChat('f', 'u', 'c')],
    fileInAnyMessage: [
      sql.fileInAnyMessage('f', 'u', null),
      sql.fileInAnyMessage('f', 'u', 'c'),
      sql.fileInAnyMessage('f', null, null),
    ],
    insertFile: [sql.insertFile(rowOf('files'))],
    userFilesAfter: [sql.userFilesAfter('u', 'f', 9)],
    unusedUserFiles: [sql.unusedUserFiles([{ userId: 'u', fileId: 'f' }], 9)],
    lockUserFile: [sql.lockUserFile('u', 'f')],
    deleteUnusedUserFile: [sql.deleteUnusedUserFile('u', 'f', 9)],
    filesAfter: [sql.filesAfter('f', 9)],
    filesById: [sql.filesById(['f'])],
    knownKeys: [sql.knownKeys(['aa/f-1'])],
    unusedFiles: [sql.unusedFiles(['f'], 9)],
    lockFile: [sql.lockFile('f')],
    deleteUnusedFile: [sql.deleteUnusedFile('f', 9)],
    abandonFilesOfUser: [sql.abandonFilesOfUser('u')],
    insertContent: [sql.insertContent(rowOf('file_contents'))],
    contentOf: [sql.contentOf('k')],
    deleteContent: [sql.deleteContent('k')],
    insertRemoval: [sql.insertRemoval(rowOf('file_removals'))],
    withdrawRemoval: [sql.withdrawRemoval('k', 9)],
    hastenRemoval: [sql.hastenRemoval('k', 9)],
    dueRemovals: [sql.dueRemovals(9, 9)],
    deleteRemoval: [sql.deleteRemoval('k')],
  };
}

/** The statements that touch several partitions, with the reason. */
export const ACROSS_CHATS = {
  filesOfMessages: 'reads files of messages by the ids of these alone',
  filesInMessages: 'reads files of messages by the ids of these alone',
  fileInSharedChat: 'reads the chats of a user',
  fileInAnyMessage: 'searches for a file in all chats',
  unusedUserFiles: 'searches for a file in all chats',
  deleteUnusedUserFile: 'searches for a file in all chats',
  unusedFiles: 'searches for a file in all chats',
  deleteUnusedFile: 'searches for a file in all chats',
};

/** The others. */
export function otherStatements({ differences }: Dialect): Record<string, Sql[]> {
  const sql = fileStatements(differences);
  return { bytesOfUser: [sql.bytesOfUser('"u"')], bytesOfFiles: [sql.bytesOfFiles()] };
}
