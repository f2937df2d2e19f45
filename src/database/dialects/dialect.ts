/**
 * The SQL that Prisma's models cannot say: walks along the graph, and batches for many keys at once. base/ has every statement,
 * and the folder of a database its differences.
 *
 * Lists of keys travel as one parameter, so that a statement is the same for one key and for ten thousand. Rows that
 * answer a list carry `n`, the index of their key. Messages come back in no promised order, and in a form that the
 * dialect reads: see row-format.ts. If the data of one is longer than `inlineBytes`, it is left out: see message-data.ts.
 */
import type { Sql } from 'sql-template-tag';
import type { Branch } from '../../conversation/model.js';
import type { SegmentColumn } from '../../conversation/outline.js';
import type { ChainKey, JsonMember, OutlineKey } from '../../conversation/reads.js';
import type { SearchQuery } from '../../search/query.js';
import type { RowFormat } from '../reading/row-format.js';
import type { baseDialect } from './base/base-dialect.js';
import type { CandidateRequest, Failure } from './requests.js';

/** Lists with some members alone. */
export interface JsonStatements {
  /**
   * `json` is one row { json }: objects with the members asked for and commas between them, as bytes of UTF-8; null when their
   * data is more than `maxBytes` together, or a time is none of this calendar's four digits for a year. `rows` are rows with
   * the columns of the members and `n`, which orders them, and end early when their data is more.
   */
  readonly answers: 'json' | 'rows';
  path(end: ChainKey, members: readonly JsonMember[], maxBytes: number): Sql;
  graph(chatId: string, members: readonly JsonMember[]): Sql;
  /** Of an outline; null where its rows are read sooner. */
  segments: ((key: OutlineKey, members: readonly JsonMember<SegmentColumn>[]) => Sql) | null;
}

/** Search: first which texts may be hits, then of so many at a time whether they are. */
export interface SearchStatements {
  /** Rows { id, chatId, bytes } of texts, those that were saved last first; `bytes` says about how long a text is. */
  candidates(request: CandidateRequest): Sql;
  /** Rows { id, messageId, chatId, createdAt, seq, score } of those texts that are hits: see hit-order.ts. */
  hits(ids: readonly number[], query: Pick<SearchQuery, 'required' | 'excluded'>): Sql;
  /**
   * Row { id } of the text that was saved last, which says how many there are at most. Null where a statement that takes
   * long holds up nobody.
   */
  readonly lastText: Sql | null;
  /** Where the full-text index knows whose texts are, as its triggers write them; null where it knows chats alone. */
  readonly owners: {
    /** Rows { id, bytes } of a chat's texts behind one, by id. */
    texts(chatId: string, after: number, limit: number): Sql;
    /** Has the index know of a chat's texts, from one up to another, that they are a user's. */
    index(chatId: string, userId: string, range: { first: number; last: number }): Sql;
  } | null;
  /**
   * Has the full-text index forget more of what was removed, and says how far: it writes about so many of its pages, or
   * begins anew with a negative number. Null where the index does so by itself.
   */
  readonly tidySearch: ((pages: number) => Sql) | null;
}

export interface Dialect extends ReturnType<typeof baseDialect>, SearchStatements {
  /** The messages of a statement's rows, the nodes of a graph, and where runs begin. */
  readonly rows: RowFormat;
  /** Lists as JSON; null where the database takes longer to write it than its rows to be read. */
  readonly json: JsonStatements | null;
  /** The metadata of a chat as canonicalJson writes it, from what a statement answers. */
  metadata(stored: string): string;
  /**
   * The meaning of a driver's error: another transaction is in the way and this one may be run again, a row with this key
   * exists, the database is unavailable, the statement took too long, or a table is missing.
   */
  failure(error: unknown): Failure;
  /** UPDATE of the headMessageId and isActive of branches. */
  updateBranches(branches: readonly Branch[]): Sql;
  /** One row { identity }: a text that no other database has, and that is the same whichever URL leads to it. */
  identity(): Sql;
}
