import { getHeapStatistics } from 'node:v8';

/** Limits of operations and of their senders. All are settings: see src/config.ts. */
export interface Limits {
  /** Bytes of a request's body. */
  maxBodyBytes: number;
  /** Characters of a document; the cache of parsed documents has its own limit. Values belong in variables. */
  maxDocumentLength: number;
  /** Tokens of a document: names, numbers, texts and punctuation. */
  maxTokens: number;
  /** Nesting levels of fields: 1 for `{ viewer }`. */
  maxDepth: number;
  /** Nesting levels of lists of objects. */
  maxListDepth: number;
  /** Fields of an operation with an alias. */
  maxAliases: number;
  maxRootFields: number;
  /** Directives of a document. */
  maxDirectives: number;
  /** Selections of one object: fields, and spread fragments with their content. */
  maxSelections: number;
  /** Maximum number of objects that an operation could return. */
  costLimit: number;
  /** Bytes that an operation reads and returns: see ContentBudget. */
  maxContentBytes: number;
  /** Milliseconds. */
  queryTimeoutMs: number;
  mutationTimeoutMs: number;
  /** Milliseconds that a request other than an upload may take to arrive. */
  requestTimeoutMs: number;
  /** Milliseconds that an idle connection is kept. */
  keepAliveTimeoutMs: number;
  /** Operations per minute; 0 for no limit. */
  rateLimitPerUser: number;
  rateLimitPerAddress: number;
  /** Running and queued queries and mutations of a user; 0 for no limit. */
  maxOperationsPerUser: number;
  /** Open WebSockets; 0 for no limit. */
  maxSocketsPerUser: number;
  maxSocketsPerAddress: number;
  /** Open connections of any kind; 0 for no limit. */
  maxConnectionsPerAddress: number;
  /** Bytes of memory of all import processes together. */
  importMemoryBytes: number;
  /** Bytes of all imports on disk: uploads and temporary files. */
  importSpoolBytes: number;
  /** Average bytes per second of an upload; a slower one is refused. 0 for no limit. */
  minUploadBytesPerSecond: number;
  /** Bytes per second of a download of a file, in each minute; a slower one is ended. 0 for no limit. */
  minDownloadBytesPerSecond: number;
  /** Milliseconds that an upload may pause. */
  uploadIdleTimeoutMs: number;
  /** Milliseconds that an upload may take in all. */
  uploadTimeoutMs: number;
  /** Milliseconds that an import may run once it has started. */
  importTimeoutMs: number;
  /** Bytes of one file of a message. */
  maxFileBytes: number;
  /** Bytes of all files of a user. */
  maxUserFileBytes: number;
  /** Bytes of all files. */
  maxTotalFileBytes: number;
}

/** Maximum size of this process's heap. */
export const HEAP_BYTES = getHeapStatistics().heap_size_limit;

/** Far above normal use, and far below the capacity of the server. */
export const DEFAULT_LIMITS: Readonly<Limits> = {
  maxBodyBytes: 4 * 1024 ** 2,
  maxDocumentLength: 64 * 1024,
  maxTokens: 5_000,
  maxDepth: 20,
  maxListDepth: 6,
  maxAliases: 50,
  maxRootFields: 30,
  maxDirectives: 50,
  maxSelections: 300,
  costLimit: 110_000,
  // Content in an answer is in memory several times at once, and data of many small values takes twenty times its
  // length.
  maxContentBytes: Math.min(128 * 1024 ** 2, Math.floor(HEAP_BYTES / 32)),
  queryTimeoutMs: 30_000,
  mutationTimeoutMs: 60_000,
  requestTimeoutMs: 30_000,
  // Longer than the minute of most proxies: if the server closed first, the proxy could send a request into the closing
  // connection.
  keepAliveTimeoutMs: 75_000,
  rateLimitPerUser: 1_200,
  rateLimitPerAddress: 3_000,
  maxOperationsPerUser: 100,
  maxSocketsPerUser: 20,
  maxSocketsPerAddress: 100,
  maxConnectionsPerAddress: 500,
  importMemoryBytes: Math.min(2 * 1024 ** 3, Math.max(512 * 1024 ** 2, HEAP_BYTES)),
  importSpoolBytes: 4 * 1024 ** 3,
  minUploadBytesPerSecond: 8 * 1024,
  minDownloadBytesPerSecond: 1024,
  uploadIdleTimeoutMs: 30_000,
  uploadTimeoutMs: 6 * 3_600_000,
  importTimeoutMs: 3_600_000,
  maxFileBytes: 100 * 1024 ** 2,
  maxUserFileBytes: 10 * 1024 ** 3,
  maxTotalFileBytes: 1024 ** 4,
};

/** Share of the database server's connections that one user may use, where users are authenticated. */
export const SHARE_OF_A_USER = 0.5;

/** Development mode counts nothing: all clients are on this machine, and mostly one program. */
export const DEVELOPMENT_LIMITS: Readonly<Limits> = {
  ...DEFAULT_LIMITS,
  rateLimitPerUser: 0,
  rateLimitPerAddress: 0,
  maxOperationsPerUser: 0,
  maxSocketsPerUser: 0,
  maxSocketsPerAddress: 0,
  maxConnectionsPerAddress: 0,
};
