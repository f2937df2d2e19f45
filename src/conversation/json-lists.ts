/** Lists of messages as the database writes them: selected members in JSON, or rows. */
import type { Row } from './tables.js';

/** A member of the objects in a list: one of their columns, a constant, an object with others of them, or files of messages. */
export interface JsonMember<Column = JsonColumn> {
  /** A GraphQL name: letters, digits and _. */
  readonly key: string;
  readonly value:
    | { readonly column: Column }
    | { readonly text: string }
    | { readonly object: readonly JsonMember<Column>[] }
    | { readonly files: readonly JsonMember<FileColumn>[] };
}

/** The fields of the files of a message, and those of their contents. */
export type FileColumn = 'id' | 'name' | 'position' | 'url' | 'contentId' | 'mediaType' | 'size';

export type JsonColumn = keyof Row<'messages'>;

/**
 * A list with selected members. Databases that write JSON faster than rows return comma-separated objects as UTF-8,
 * which the caller releases after sending; others return rows. Null when too large for one statement: read complete
 * rows then.
 */
export type JsonList = Bytes | LeanRow[] | null;
export type LeanRow = Partial<Row<'messages'>>;

/** Bytes in a pooled buffer. */
export interface Bytes {
  readonly bytes: Uint8Array;
  /** The bytes between two texts, without a copy; null when the buffer has no space left. */
  within(before: string, after: string): Uint8Array | null;
  /** Releases the buffer. A buffer that is not released is garbage-collected instead of reused. */
  release(): void;
}

/** Bytes outside the pool. */
export const bytesOf = (bytes: Uint8Array): Bytes => ({ bytes, within: () => null, release: () => {} });
