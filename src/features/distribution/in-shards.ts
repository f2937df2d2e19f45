/** Statements of the distributed form that differ: keys contain the chat, and Citus plans no correlated subquery over all chats. */
import sql, { raw, type Sql, empty, join } from 'sql-template-tag';
import { MAX_INT } from '../../conversation/bounds.js';
import type { ChatScoped } from '../../conversation/chat-scoped.js';
import type { ChatStatusKey } from '../../conversation/log-reads.js';
import type { ListCopies } from '../../database/connection/connection.js';
import { fragmentsOf, isThere } from '../../database/dialects/base/fragments.js';
import { DELETED_COLUMNS, logStatements } from '../../database/dialects/base/log.js';
import { messageStatements } from '../../database/dialects/base/messages.js';
import type { Dialect, SearchStatements } from '../../database/dialects/dialect.js';
import {
  arrayType,
  insertUnlessThere,
  keysFrom,
  postgresqlDifferences,
  typed,
} from '../../database/dialects/postgresql/differences.js';
import { postgresqlDialect } from '../../database/dialects/postgresql/postgresql.js';
import type { CandidateRequest } from '../../database/dialects/requests.js';
import * as plain from '../../database/dialects/postgresql/search.js';
import { PerRun } from '../../database/dialects/postgresql/runs.js';
import type { Differences } from '../../database/dialects/differences.js';
import type { ChatFilter } from '../../conversation/reads.js';
import { chatStatements } from '../../database/dialects/base/chats.js';

/** Citus finds the shard by values that it sees. */
const differences: Differences = {
  ...postgresqlDifferences,
  hidden: typed,
  keys: keysFrom((list) => list),
  chatIdBesideId: (alias) => raw(`${alias}."chatId"`),
};

/** Lists of one user's own chats in the distributed form, on the copies by owner: see UserChatTable. */
const listDifferences: Differences = {
  ...differences,
  table: (name) => (name === 'chats' ? raw('(SELECT * FROM user_chats WHERE "isListed")') : raw(name)),
};
const ofUserChats = fragmentsOf(listDifferences);
const ofCopies = chatStatements(listDifferences, {
  ...ofUserChats,
  chatColumns: () => sql`${ofUserChats.columnsOfChats}, c."members"`,
});

/**
 * @param inShards the statements for all other lists: their conditions have indexes there
 * @param copies missing where no copies exist
 */
function listsOfUsers(
  inShards: Dialect,
  copies: Pick<ListCopies, 'isComplete'> | undefined,
): Pick<Dialect, 'chats' | 'chatCount'> {
  const from = ({ userId, chatId, metadata, includeShared }: ChatFilter) => {
    const isOfUser = userId !== null && chatId == null && metadata.length === 0 && includeShared !== true;
    return isOfUser && copies?.isComplete === true ? ofCopies : inShards;
  };
  return {
    chats: (filter, ...page) => from(filter).chats(filter, ...page),
    chatCount: (filter) => from(filter).chatCount(filter),
  };
}

/**
 * Lists of keys in several chats: Citus plans no walk and no lateral join over several shards. The statement has the form for one chat, so that each run touches one shard.
 */
const keysPerChat: Differences['keys'] = (keys, columns) => {
  const k = differences.keys(keys, columns);
  const names = Object.keys(columns) as (keyof typeof columns)[];
  const ofChat = names.find((name) => columns[name] === 'chat');
  if (ofChat === undefined || k.chat !== null) return k;
  // Without keys, one run of no chat returns nothing.
  const numbers = new Map<unknown, number[]>(keys.length === 0 ? [['', []]] : []);
  keys.forEach((key, n) => {
    const ofSame = numbers.get(key[ofChat]);
    if (ofSame === undefined) numbers.set(key[ofChat], [n]);
    else ofSame.push(n);
  });
  const lists = (valueOf: (n: number) => unknown) => new PerRun([...numbers.values()].map((list) => list.map(valueOf)));
  const arrays = names.map((name) => sql`${lists((n) => keys[n]?.[name])}::${arrayType(columns[name])}`);
  const listed = raw([...names, 'n'].map((name) => `"${name}"`).join(', '));
  const chat = sql`${new PerRun([...numbers.keys()])}::text`;
  return {
    ...k,
    from: sql`unnest(${join(arrays, ', ')}, ${lists((n) => n)}::bigint[]) AS k(${listed})`,
    n: raw('k."n"'),
    chat,
    [ofChat]: chat,
  };
};

/** A list of chats alone is joined with `chats`: their rows are complete in each shard, so that one statement reads all. */
const keysInShards: Differences['keys'] = (keys, columns) => {
  const k = differences.keys(keys, columns);
  const [name, ...others] = Object.keys(columns) as (keyof typeof columns)[];
  if (name === undefined || columns[name] !== 'chat' || k.chat !== null || others.length > 0) {
    return keysPerChat(keys, columns);
  }
  return { ...k, from: sql`chats kc JOIN ${k.from} ON kc."id" = ${k[name]}`, [name]: raw('kc."id"') };
};

/**
 * Search: the newest texts of several chats are in all shards, and a list of chats finds no shard. With a condition on the chat, plans
 * depend on its size, so none is prepared.
 */
const searchInShards: Pick<SearchStatements, 'candidates' | 'hits'> = {
  candidates(request) {
    const { index, chatIds, userId } = request;
    if (chatIds?.length === 1) return plain.ofChats(request, onlyChat);
    if (chatIds !== null || userId !== null) return ofEachChat(request);
    return index.length === 0 ? plain.ofAll(request) : plain.ofIndex(request);
  },
  hits: plain.hitsIn(onlyChat),
};

/** Lets the planner read one shard. */
function onlyChat(chatIds: readonly string[] | null): Sql {
  return chatIds?.length === 1 ? sql`AND d."chatId" = ${chatIds[0]}` : empty;
}

/** Candidates in some chats, by one lookup for each: a join with them is complete in each shard. */
function ofEachChat(request: CandidateRequest): Sql {
  const words = request.index.filter(({ isPrefix }) => !isPrefix).map((word) => ` & ${plain.token(word)}`);
  const beginnings = request.index.filter(({ isPrefix }) => isPrefix);
  return sql`
    SELECT d.* FROM chats CROSS JOIN LATERAL (
      SELECT ${plain.COLUMNS} FROM message_texts d
      WHERE d."chatId" = chats."id" AND (d."vector" @@ (${plain.CHAT_TOKEN} || ${words.join('')}::text)::tsquery OR d."vector" IS NULL)
        ${beginnings.length === 0 ? empty : sql`AND ${plain.isFound(beginnings)}`} ${plain.others(request)}
      OFFSET 0
    ) d
    WHERE ${plain.areAsked(request)} ORDER BY d."id" DESC LIMIT ${request.limit}`;
}

/**
 * Rows { userId, fileId } of files in chats of users, or in chats that these import. Citus plans no correlated subqueries over all chats, as
 * in src/features/files/statements.ts.
 */
const filesInChats = (fileIds: readonly string[], ofUsers: Sql): Sql => sql`
  SELECT c."userId", r."fileId" FROM message_files r JOIN chats c ON c."id" = r."chatId"
  WHERE r."fileId" = ANY (${fileIds}::text[]) AND c."userId" ${ofUsers}
  UNION ALL
  SELECT i."userId", r."fileId" FROM message_files r JOIN chat_imports i ON i."chatId" = r."chatId"
  WHERE r."fileId" = ANY (${fileIds}::text[]) AND i."userId" ${ofUsers}`;

const filesInShards = {
  unusedUserFiles(keys: readonly { userId: string; fileId: string }[], before: number): Sql {
    const [userIds, fileIds] = [keys.map(({ userId }) => userId), keys.map(({ fileId }) => fileId)];
    return sql`
    SELECT u."userId", u."fileId" FROM unnest(${userIds}::text[], ${fileIds}::text[]) k("userId", "fileId")
    JOIN user_files u ON u."userId" = k."userId" AND u."fileId" = k."fileId"
    WHERE u."usedAt" < ${before}::bigint AND NOT EXISTS (
      SELECT 1 FROM (${filesInChats(fileIds, sql`= ANY (${userIds}::text[])`)} OFFSET 0) x
      WHERE x."userId" = u."userId" AND x."fileId" = u."fileId"
    )`;
  },

  unusedFiles: (fileIds: readonly string[], before: number): Sql => sql`
    SELECT f."id", f."storageKey" FROM files f
    WHERE f."id" = ANY (${fileIds}::text[]) AND f."usedAt" < ${before}::bigint
      AND f."id" NOT IN (SELECT DISTINCT r."fileId" FROM message_files r WHERE r."fileId" = ANY (${fileIds}::text[]))
      AND NOT EXISTS (SELECT 1 FROM user_files u WHERE u."fileId" = f."id")`,

  deleteUnusedFile: (id: string, before: number): Sql => sql`
    DELETE FROM files WHERE "id" = ${id} AND "usedAt" < ${before}::bigint
      AND NOT EXISTS (SELECT 1 FROM message_files r WHERE r."fileId" = ${id})
      AND NOT EXISTS (SELECT 1 FROM user_files u WHERE u."fileId" = ${id})`,
};

const fragments = fragmentsOf(differences);
const ofOneChat = {
  ...logStatements(differences, fragments),
  ...messageStatements(differences, fragments),
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
      : messagesOfChats(keys, (n) => differences.messagesOf(n, inlineBytes)),
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
      ...differences,
      keys: keysInShards,
      // Citus sends this join to all shards, and the values use the index.
      lookUpAnywhere: (name, alias, { column, key, values }) => {
        const found = raw(`${alias}."${column}"`);
        return sql`JOIN ${raw(name)} ${raw(alias)} ON ${found} = ${key} AND ${found} = ANY (${values}::text[])`;
      },
      joinsOfChecks: joinsWithinChat,
      replaced: filesInShards,
    }),
    ...statementsInShards,
  };
  return { ...inShards, ...listsOfUsers(inShards, copies) };
};
