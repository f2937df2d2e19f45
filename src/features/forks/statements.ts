/** Copies of a chat's rows into its fork. The new ids contain the seqs of the copied messages, so that no statement needs a mapping. */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import { lengthOf, type SeqBounds } from './graph-runs.js';
import type { TablesWith } from '../../conversation/table-rules.js';
import type { Row, TableName } from '../../conversation/tables.js';
import type { Differences } from '../../database/dialects/differences.js';
import { columnsOf, fragmentsOf, namesOf } from '../../database/dialects/base/fragments.js';

/** The recorded origin of a fork. */
export type ForkRow = Omit<Row<'chat_forks'>, 'chatId'>;

/** Some messages to copy. */
export interface ForkStep {
  readonly chatId: string;
  readonly fromChatId: string;
  /** The beginning of the ids of the copies: see ForkedChat.idPrefix. */
  readonly idPrefix: string;
  /** Whether positions are kept; those of a path follow from its depths. */
  readonly isWhole: boolean;
  /** The seqs in the origin. */
  readonly ranges: readonly SeqBounds[];
}

/** A source of a copied message: see forkedSources. */
export interface ForkedSource {
  readonly seq: number;
  readonly position: number;
  readonly sourceSeq: number | null;
  readonly hash: string;
}

const into = (table: TableName): Sql =>
  raw(
    `(${namesOf(table)
      .map((name) => `"${name}"`)
      .join(', ')})`,
  );

export type ForkStatements = ReturnType<typeof forkStatements>;

export function forkStatements(d: Differences) {
  const f = fragmentsOf(d);
  const { table, lookUp, lookUpOrNull } = d;
  const messages = table('messages');
  const rangeKeys = (ranges: readonly SeqBounds[]) =>
    d.keys(
      ranges.map(({ firstSeq, lastSeq }) => ({ firstSeq, lastSeq })),
      { firstSeq: 'int', lastSeq: 'int' },
    );
  const inOrigin = (alias: string, id: string, { fromChatId }: ForkStep) =>
    f.isRow(alias, { id: raw(id), chatId: sql`${fromChatId}` });
  /** The copied messages m. */
  const copied = ({ fromChatId, ranges }: ForkStep): Sql => {
    const k = rangeKeys(ranges);
    const on = sql`m."chatId" = ${fromChatId} AND m."seq" BETWEEN ${k.firstSeq} AND ${k.lastSeq}`;
    return sql`FROM ${k.from} ${lookUp('messages', 'm', on)}`;
  };
  const seqOf = ({ isWhole }: ForkStep): Sql => raw(isWhole ? 'm."seq"' : 'm."depth" + 1');
  const idOf = ({ idPrefix }: ForkStep, seq: string): Sql => d.idOf(idPrefix, raw(seq));
  const sourcesOf = ({ fromChatId }: ForkStep): Sql =>
    lookUp('message_sources', 's', sql`s."chatId" = ${fromChatId} AND s."seq" = m."seq"`);
  const ofMessage = (alias: string, { fromChatId }: ForkStep): Sql =>
    sql`${d.chatIdBesideId(alias)} = ${fromChatId} AND ${raw(alias)}."messageId" = m."id"`;

  return {
    /** At most one row { id, seq, depth, usage }: a message of a chat, or for null the head of its active branch. */
    forkedHead: (chatId: string, messageId: string | null): Sql =>
      messageId === null
        ? sql`
      SELECT m."id", m."seq", m."depth", m."usage" FROM ${table('branches')} b
      ${f.message('m', { id: raw('b."headMessageId"'), chatId: sql`${chatId}` })}
      WHERE b."chatId" = ${chatId} AND ${d.isTrue(raw('b."isActive"'))}`
        : sql`
      SELECT m."id", m."seq", m."depth", m."usage" FROM ${messages} m WHERE m."chatId" = ${chatId} AND m."id" = ${messageId}`,
    /** Rows { seq, parentSeq } of a chat's message_runs up to a seq, in order, at most `count`. */
    forkedRuns: (chatId: string, lastSeq: number, count: number): Sql => sql`
      SELECT "seq", "parentSeq" FROM ${table('message_runs')}
      WHERE "chatId" = ${chatId} AND "seq" <= ${d.number(lastSeq)} ORDER BY "seq" ${d.first(count)}`,
    /** Rows { seq, bytes } of the messages to copy, in order. */
    forkedSizes: (step: ForkStep): Sql =>
      sql`SELECT m."seq", ${d.bytes(raw('m."data"'))} AS "bytes" ${copied(step)} ORDER BY m."seq"`,

    forkMessages: (step: ForkStep): Sql => sql`
      INSERT INTO ${messages} ${into('messages')}
      SELECT ${idOf(step, 'm."seq"')}, ${step.chatId}, CASE WHEN p."seq" IS NOT NULL THEN ${idOf(step, 'p."seq"')} END,
        m."name", m."type", m."createdAt", m."depth", ${seqOf(step)}, ${raw(step.isWhole ? 'm."siblingIndex"' : '0')},
        ${idOf(step, 'j."seq"')}, m."preview", m."data", m."createdBy", m."contentHash", m."usage"
      ${copied(step)} ${lookUp('messages', 'j', inOrigin('j', 'm."jumpId"', step))}
      ${lookUpOrNull('messages', 'p', inOrigin('p', 'm."parentId"', step))}`,
    /** Only of a whole graph. */
    forkRuns({ chatId, fromChatId, ranges }: ForkStep): Sql {
      const k = rangeKeys(ranges);
      const on = sql`r."chatId" = ${fromChatId} AND r."seq" BETWEEN ${k.firstSeq} AND ${k.lastSeq}`;
      return sql`
      INSERT INTO ${table('message_runs')} ${into('message_runs')}
      SELECT ${chatId}, r."seq", r."parentSeq" FROM ${k.from} ${lookUp('message_runs', 'r', on)}`;
    },
    /**
     * Rows { seq, position, sourceSeq, hash } of the sources of the copied messages, by the seqs of the copies. `sourceSeq` is the
     * seq in the origin; null for a source that the origin has only as a hash.
     */
    forkedSources: (step: ForkStep): Sql => sql`
      SELECT ${seqOf(step)} AS "seq", s."position" AS "position", s."sourceSeq" AS "sourceSeq", o."contentHash" AS "hash"
      ${copied(step)} ${sourcesOf(step)}
      ${lookUp('messages', 'o', sql`o."chatId" = ${step.fromChatId} AND o."seq" = s."sourceSeq"`)}
      UNION ALL
      SELECT ${seqOf(step)}, h."position", NULL, h."hash"
      ${copied(step)} ${lookUp(
        'message_source_hashes',
        'h',
        sql`h."chatId" = ${step.fromChatId} AND h."seq" = m."seq"`,
      )}`,
    /** Copies the rows of a table of messages. */
    forkRows(table: TablesWith<{ isForked: true }>, step: ForkStep): Sql {
      const columns = namesOf(table).map((name) => {
        if (name === 'chatId') return sql`${step.chatId}`;
        return name === 'messageId' ? idOf(step, 'm."seq"') : raw(`r."${name}"`);
      });
      return sql`
      INSERT INTO ${d.table(table)} ${into(table)}
      SELECT ${join(columns, ', ')} ${copied(step)} ${lookUp(table, 'r', ofMessage('r', step))}`;
    },
    /** In order. Some forms of a schema, which add the ids, plan only a subquery with a limit. */
    forkTexts: (step: ForkStep): Sql => sql`
      INSERT INTO ${table('message_texts')} ${into('message_texts')}
      SELECT ${columnsOf('x', namesOf('message_texts'))} FROM (
        SELECT ${idOf(step, 'm."seq"')} AS "messageId", ${step.chatId} AS "chatId", t."name" AS "name",
          t."createdAt" AS "createdAt", ${seqOf(step)} AS "seq", t."length" AS "length", t."terms" AS "terms"
        ${copied(step)} ${lookUp('message_texts', 't', ofMessage('t', step))}
        ORDER BY ${seqOf(step)} ${d.first(lengthOf(step.ranges))}
      ) x`,

    /** Rows { n, fromChatId, fromMessageId }. */
    forksOf(chatIds: readonly string[]): Sql {
      const k = f.chats(chatIds);
      return sql`
      SELECT ${k.n} AS "n", o."fromChatId" AS "fromChatId", o."fromMessageId" AS "fromMessageId"
      FROM ${k.from} ${lookUp('chat_forks', 'o', sql`o."chatId" = ${k.id}`)}`;
    },
  };
}
