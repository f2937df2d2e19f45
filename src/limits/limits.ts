/** Limits of operations and of their senders. */
import { getHeapStatistics } from 'node:v8';
import { wholeNumber } from '../settings/declare-setting.js';
import { defaultsOf, type ValuesOf } from '../settings/setting.js';

/** Maximum size of this process's heap. */
export const HEAP_BYTES = getHeapStatistics().heap_size_limit;

const MAX_BYTES = 999_999_999_999_999;

// Content in an answer is in memory several times at once, and data of many small values takes twenty times its
// length.
const MAX_CONTENT_BYTES = Math.min(128 * 1024 ** 2, Math.floor(HEAP_BYTES / 32));
const IMPORT_MEMORY_BYTES = Math.min(2 * 1024 ** 3, Math.max(512 * 1024 ** 2, HEAP_BYTES));

/** Far above normal use, and far below the capacity of the server. */
export const limitSettings = {
  /** Bytes of a request's body. */
  maxBodyBytes: wholeNumber('MAX_BODY_BYTES', 1024, 1024 ** 3, 4 * 1024 ** 2).means('Bytes of a request body'),
  /** Characters of a document; the cache of parsed documents has its own limit. Values belong in variables. */
  maxDocumentLength: wholeNumber('MAX_DOCUMENT_LENGTH', 1, 1024 ** 3, 64 * 1024).means('Characters of a document'),
  /** Tokens of a document: names, numbers, texts and punctuation. */
  maxTokens: wholeNumber('MAX_TOKENS', 1, 1_000_000, 5_000).means('Tokens of a document'),
  /** Nesting levels of fields: 1 for `{ viewer }`. */
  maxDepth: wholeNumber('MAX_DEPTH', 1, 1_000_000, 20).means('Depth of nested fields'),
  /** Nesting levels of lists of objects. */
  maxListDepth: wholeNumber('MAX_LIST_DEPTH', 0, 1_000_000, 6).means('Depth of nested lists of objects'),
  /** Fields of an operation with an alias. */
  maxAliases: wholeNumber('MAX_ALIASES', 0, 1_000_000, 50).means('Aliases of an operation'),
  maxRootFields: wholeNumber('MAX_ROOT_FIELDS', 1, 1_000_000, 30).means('Root fields of an operation'),
  /** Directives of a document. */
  maxDirectives: wholeNumber('MAX_DIRECTIVES', 0, 1_000_000, 50).means('Directives of a document'),
  /** Selections of one object: fields, and spread fragments with their content. */
  maxSelections: wholeNumber('MAX_SELECTIONS', 1, 1_000_000, 300).means(
    'Selections of one object, including those of fragments',
  ),
  /** Maximum number of objects that an operation could return. */
  costLimit: wholeNumber('COST_LIMIT', 1, 999_999_999_999, 110_000).means(
    'Objects that an operation can return at most',
  ),
  /** Bytes that an operation reads and returns: see ContentBudget. */
  maxContentBytes: wholeNumber('MAX_CONTENT_BYTES', 1024, 999_999_999_999, MAX_CONTENT_BYTES, { shown: '' }).means(
    'Bytes that an operation reads and returns; by default a 32nd of the heap, at most 128 MiB',
  ),
  /** Milliseconds. */
  queryTimeoutMs: wholeNumber('QUERY_TIMEOUT_MS', 1, 3_600_000, 30_000).means('Duration of a query'),
  mutationTimeoutMs: wholeNumber('MUTATION_TIMEOUT_MS', 1, 3_600_000, 60_000).means('Duration of a mutation'),
  /** Milliseconds that a request other than an upload may take to arrive. */
  requestTimeoutMs: wholeNumber('REQUEST_TIMEOUT_MS', 1000, 3_600_000, 30_000).means(
    'Time in which a request other than an upload must arrive',
  ),
  // Longer than the minute of most proxies: if the server closed first, the proxy could send a request into the closing
  // connection.
  /** Milliseconds that an idle connection is kept. */
  keepAliveTimeoutMs: wholeNumber('KEEP_ALIVE_TIMEOUT_MS', 1000, 3_600_000, 75_000).means(
    'Time that an idle connection is kept; longer than the proxy keeps its own',
  ),
  /** Operations per minute; 0 for no limit. */
  rateLimitPerUser: wholeNumber('RATE_LIMIT_PER_USER', 0, 1_000_000_000, 1_200, { inDevelopment: 0 }).means(
    'Operations per minute; `0` disables the limit, here and below',
  ),
  rateLimitPerAddress: wholeNumber('RATE_LIMIT_PER_ADDRESS', 0, 1_000_000_000, 3_000, { inDevelopment: 0 }).means(
    'The same per address; an IPv6 network of 64 bits counts as one',
  ),
  /** Running and queued queries and mutations of a user; 0 for no limit. */
  maxOperationsPerUser: wholeNumber('MAX_OPERATIONS_PER_USER', 0, 1_000_000, 100, { inDevelopment: 0 }).means(
    'Concurrent queries and mutations of a user, running or queued',
  ),
  /** Open WebSockets; 0 for no limit. */
  maxSocketsPerUser: wholeNumber('MAX_SOCKETS_PER_USER', 0, 1_000_000, 20, { inDevelopment: 0 }).means(
    'Open WebSockets and streams of a user',
  ),
  maxSocketsPerAddress: wholeNumber('MAX_SOCKETS_PER_ADDRESS', 0, 1_000_000, 100, { inDevelopment: 0 }).means(
    'The same per address',
  ),
  /** Open connections of any kind; 0 for no limit. */
  maxConnectionsPerAddress: wholeNumber('MAX_CONNECTIONS_PER_ADDRESS', 0, 1_000_000, 500, { inDevelopment: 0 }).means(
    'Open connections of any kind per address; those of `TRUSTED_PROXIES` do not count',
  ),
  /** Bytes of memory of all import processes together. */
  importMemoryBytes: wholeNumber('IMPORT_MEMORY_BYTES', 128 * 1024 ** 2, 999_999_999_999, IMPORT_MEMORY_BYTES, {
    shown: '',
  }).means(
    'Memory of all import processes together; by default the size of the heap, at least 512 MiB and at most 2 GiB. Each 512 MiB allow one process, up to four',
  ),
  /** Bytes of all imports on disk: uploads and temporary files. */
  importSpoolBytes: wholeNumber('IMPORT_SPOOL_BYTES', 1024, 999_999_999_999, 4 * 1024 ** 3).means(
    'Bytes of all uploads and temporary files in `TMPDIR`. A user may use half',
  ),
  /** Average bytes per second of an upload; a slower one is refused. 0 for no limit. */
  minUploadBytesPerSecond: wholeNumber('MIN_UPLOAD_BYTES_PER_SECOND', 0, 1024 ** 3, 8 * 1024).means(
    'Minimum average rate of an upload after 5 seconds; `0` disables it',
  ),
  /** Bytes per second of a download of a file, in each minute; a slower one is ended. 0 for no limit. */
  minDownloadBytesPerSecond: wholeNumber('MIN_DOWNLOAD_BYTES_PER_SECOND', 0, 1024 ** 3, 1024).means(
    'Minimum average rate of a download of a file in each minute; `0` disables it',
  ),
  /** Milliseconds that an upload may pause. */
  uploadIdleTimeoutMs: wholeNumber('UPLOAD_IDLE_TIMEOUT_MS', 1000, 3_600_000, 30_000).means(
    'Time that an upload may pause',
  ),
  /** Milliseconds that an upload may take in all. */
  uploadTimeoutMs: wholeNumber('UPLOAD_TIMEOUT_MS', 1000, 86_400_000, 6 * 3_600_000).means('Time of an upload in all'),
  /** Milliseconds that an import may run once it has started. */
  importTimeoutMs: wholeNumber('IMPORT_TIMEOUT_MS', 1000, 86_400_000, 3_600_000).means(
    'Duration of an import after it has started',
  ),
  /** Bytes of one file of a message. */
  maxFileBytes: wholeNumber('MAX_FILE_BYTES', 1024, 5 * 1024 ** 3, 100 * 1024 ** 2).means(
    'Bytes of a file of a message',
  ),
  /** Bytes of all files of a user. */
  maxUserFileBytes: wholeNumber('MAX_USER_FILE_BYTES', 1024, MAX_BYTES, 10 * 1024 ** 3).means(
    'Bytes of all files of a user',
  ),
  /** Bytes of all files. */
  maxTotalFileBytes: wholeNumber('MAX_TOTAL_FILE_BYTES', 1024, MAX_BYTES, 1024 ** 4).means('Bytes of all files'),
};

export type Limits = ValuesOf<typeof limitSettings>;

export const DEFAULT_LIMITS: Readonly<Limits> = defaultsOf(limitSettings);

/** Development mode counts nothing: all clients are on this machine, and mostly one program. */
export const DEVELOPMENT_LIMITS: Readonly<Limits> = defaultsOf(limitSettings, true);

/** Share of the database server's connections that one user may use, where users are authenticated. */
export const SHARE_OF_A_USER = 0.5;
