/** Statements of the distributed form that differ: keys contain the chat, and Citus plans no correlated subquery over all chats. */
import sql, { raw, type Sql } from 'sql-template-tag';
import { MAX_INT } from '../../conversation/bounds.js';
import type { ChatScoped } from '../../conversation/chat-scoped.js';
import type { ChatStatusKey } from '../../conversation/log-reads.js';
import type { ListCopies } from '../../database/connection/connection.js';
import { fragmentsOf, isThere } from '../../database/dialects/base/fragments.js';
import { DELETED_COLUMNS, logStatements } from '../../database/dialects/base/log.js';
import { messageStatements } from '../../database/dialects/base/messages.js';
import type { Dialect } from '../../database/dialects/dialect.js';
import { insertUnlessThere, postgresqlDifferences } from '../../database/dialects/postgresql/differences.js';
import { postgresqlDialect } from '../../database/dialects/postgresql/postgresql.js';
import { filesInShards } from './files-in-shards.js';
import { keysInShards } from './keys-in-shards.js';
import { searchInShards } from './search-in-shards.js';
import { listsOfUsers } from './user-lists.js';

const fragments = fragmentsOf(postgresqlDifferences);
const ofOneChat = {
  ...logStatements(postgresqlDifferences, fragments),
  ...messageStatements(postgresqlDifferences, fragments),
};
const areInOneChat = (keys: readonly { chatId: string }[]): boolean =>
  new Set(keys.map(({ chatId }) => chatId)).size === 1;

/** Columns of messages in several chats. The ids use the index, and Citus sends this join to all shards. */
function messagesOfChats(keys: readonly ChatScoped[], columns: (n: Sql) => Sql): Sql {
  const k = fragments.scoped(keys);
  return sql`
  SELECT ${columns(k.n)} FROM ${k.from} JOIN messages m ON m."chatId" = ${k.chatId} AND m."id" = ${k.id}
    AND m."id" = ANY (${keys.map(({ id }) => id)}::text[])`;
}

/** See Dialect.chatStatuses. Inner and outer joins of chats are complete in each shard, and deletions are on the coordinator. */
function statusesOfChats(keys: readonly ChatStatusKey[]): Sql {
  const ids = sql`${keys.map(({ chatId }) => chatId)}::text[]`;
  return sql`
  SELECT k."chatId", c."userId", c."members", c."version", ${DELETED_COLUMNS}, c."madeAt", c."transfer", c."transferredAt"
  FROM unnest(${ids}) AS k("chatId")
  LEFT JOIN (
    SELECT c."id", c."userId", ${fragments.members()}, c."version", e."createdAt" AS "madeAt", t."payload" AS "transfer",
      t."createdAt" AS "transferredAt"
    FROM unnest(${ids}, ${keys.map(({ after }) => after)}::bigint[]) AS k("chatId", "after")
    JOIN chats c ON c."id" = k."chatId" AND c."id" = ANY (${ids}) AND ${isThere}
    LEFT JOIN chat_events e ON e."chatId" = c."id" AND e."seq" = 1
    LEFT JOIN chat_events t ON t."chatId" = c."id" AND t."seq" > k."after" AND t."type" = 'ChatTransferred'
  ) c ON c."id" = k."chatId"
  LEFT JOIN (SELECT * FROM deleted_chats WHERE "id" = ANY (${ids})) d ON d."id" = k."chatId"`;
}

/** Tables without the id of a chat. */
const WITHOUT_CHAT = /^\{(chats|files|user_files|file_removals)\}/;

/** A coordinator would collect tables that are joined otherwise. A reference to another chat is not found. */
const joinsWithinChat = (joins: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(joins).map(([alias, on]) => [
      alias,
      WITHOUT_CHAT.test(on) || on.includes(`${alias}.chatId =`) ? on : `${on} AND ${alias}.chatId = r.chatId`,
    ]),
  );

const statementsInShards = {
  ...searchInShards,

  messages: (keys, inlineBytes) =>
    areInOneChat(keys)
      ? ofOneChat.messages(keys, inlineBytes)
      : messagesOfChats(keys, (n) => postgresqlDifferences.messagesOf(n, inlineBytes)),
  messageData: (keys) =>
    areInOneChat(keys) ? ofOneChat.messageData(keys) : messagesOfChats(keys, () => raw('m."id", m."data"')),

  logStates: (chatIds) =>
    chatIds.length === 1
      ? ofOneChat.logStates(chatIds)
      : statusesOfChats(chatIds.map((chatId) => ({ chatId, after: MAX_INT }))),
  chatStatuses: (keys) => (areInOneChat(keys) ? ofOneChat.chatStatuses(keys) : statusesOfChats(keys)),

  // The key contains the chat.
  insertTexts: (rows) => insertUnlessThere('message_texts', rows, ['messageId', 'chatId']),
} satisfies Partial<Dialect>;

/** @param copies the copies of chats that lists of users read; none by default */
export const postgresqlInShards = (copies?: Pick<ListCopies, 'isComplete'>): Dialect => {
  const inShards: Dialect = {
    ...postgresqlDialect({
      ...postgresqlDifferences,
      keys: keysInShards,
      joinsOfChecks: joinsWithinChat,
      replaced: filesInShards,
    }),
    ...statementsInShards,
  };
  return { ...inShards, ...listsOfUsers(inShards, copies) };
};
