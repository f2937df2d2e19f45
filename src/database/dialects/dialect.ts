/**
 * The SQL that Prisma's models cannot express: graph walks and batches of keys. base/ has every statement, the folders
 * of databases their differences. A list of keys is one parameter; result rows carry `n`, the index of their key.
 * Messages come back unordered, in the dialect's RowFormat; data longer than `inlineBytes` is left out
 * (message-data.ts).
 */
import type { Sql } from 'sql-template-tag';
import type { ChatScoped } from '../../conversation/chat-scoped.js';
import type { Branch } from '../../conversation/model.js';
import type { SegmentColumn } from '../../conversation/outline.js';
import type { JsonMember } from '../../conversation/json-lists.js';
import type { ChainKey, OutlineKey } from '../../conversation/reads.js';
import type { SearchQuery } from '../../search/query.js';
import type { RowFormat } from './row-format.js';
import type { baseDialect } from './base/base-dialect.js';
import type { CandidateRequest, Failure } from './requests.js';

export interface JsonStatements {
  /**
   * `json`: one row { json } with comma-separated objects as UTF-8; null when their data exceeds `maxBytes` together,
   * or a year has more than four digits. `rows`: rows with the members' columns and `n`, ending early when the data
   * exceeds `maxBytes`.
   */
  readonly answers: 'json' | 'rows';
  path(end: ChainKey, members: readonly JsonMember[], maxBytes: number): Sql;
  graph(chatId: string, members: readonly JsonMember[]): Sql;
  /** The segments of an outline; null where reading rows is faster. */
  segments: ((key: OutlineKey, members: readonly JsonMember<SegmentColumn>[]) => Sql) | null;
}

/** Search: an index finds candidates, then batches of texts are tested. */
export interface SearchStatements {
  /** Rows { id, chatId, bytes } of texts, newest first; `bytes` approximates the length. */
  candidates(request: CandidateRequest): Sql;
  /** Rows { id, messageId, chatId, createdAt, seq, score } of the texts that match: see hit-order.ts. */
  hits(
    ids: readonly number[],
    query: Pick<SearchQuery, 'required' | 'excluded'>,
    chatIds: CandidateRequest['chatIds'],
  ): Sql;
  /**
   * Row { id } of the newest text, an upper bound of their number. Null where long statements block no other operation.
   */
  readonly lastText: Sql | null;
  /** Where the full-text index stores owners per text; null where it stores chats only. */
  readonly owners: {
    /** Rows { id, bytes } of a chat's texts after an id, by id. */
    texts(chatId: string, after: number, limit: number): Sql;
    /** Indexes a range of a chat's texts with their owner. */
    index(chatId: string, userId: string, range: { first: number; last: number }): Sql;
  } | null;
  /**
   * Purges deleted entries from about this many pages of the full-text index and returns its progress; a negative
   * number starts over. Null where the index does so itself.
   */
  readonly tidySearch: ((pages: number) => Sql) | null;
}

export type DigestedMessage = Pick<ChatScoped, 'id'> & { readonly contentHash: string; readonly usage: string };

type Base = ReturnType<typeof baseDialect>;

export interface Dialect extends Omit<Base, 'pathOfRuns'>, SearchStatements {
  /** Null where a recursive statement may not have subqueries with an order. */
  readonly pathOfRuns: Base['pathOfRuns'] | null;
  /** The result format of messages, graph nodes and run starts. */
  readonly rows: RowFormat;
  /** Lists as JSON; null where reading rows is faster. */
  readonly json: JsonStatements | null;
  /** The stored metadata as canonicalJson. */
  metadata(stored: string): string;
  /** Classifies a driver's error: retryable conflict, duplicate key, unavailable database, timeout, missing table or full-text index. */
  failure(error: unknown): Failure;
  /** UPDATE of the headMessageId and isActive of branches of a chat. */
  updateBranches(chatId: string, branches: readonly Branch[]): Sql;
  /** UPDATE of the contentHash and usage of messages of a chat. */
  updateDigests(chatId: string, rows: readonly DigestedMessage[]): Sql;
  /** One row { isOn }: whether queries read row versions instead of waiting for changes. Null where they always do. */
  readonly rowVersioning: (() => Sql) | null;
  /** One row { identity }: unique to this database, and the same for every URL of it. */
  identity(): Sql;
}
