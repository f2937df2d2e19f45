import { getHeapStatistics } from 'node:v8';

/** How much an operation, and whoever sends it, may ask for. All can be set: see src/config.ts. */
export interface Limits {
  /** Bytes of a request's body. */
  maxBodyBytes: number;
  /** Characters of a document; how many of those that were parsed are kept is bounded apart. Values belong into variables. */
  maxDocumentLength: number;
  /** Tokens of a document: names, numbers, texts and punctuation. */
  maxTokens: number;
  /** Fields within fields: 1 for `{ viewer }`. */
  maxDepth: number;
  /** Lists of objects within lists of objects. */
  maxListDepth: number;
  /** Fields of an operation that are given another name. */
  maxAliases: number;
  maxRootFields: number;
  /** Directives of a document. */
  maxDirectives: number;
  /** Selections of one object: fields, and spreads of fragments with what is in them. */
  maxSelections: number;
  /** Objects that an operation could return. */
  costLimit: number;
  /** Bytes that an operation reads and returns: see ContentBudget. */
  maxContentBytes: number;
  /** Milliseconds. */
  queryTimeoutMs: number;
  mutationTimeoutMs: number;
  /** How long a request may take to arrive, in milliseconds. */
  requestTimeoutMs: number;
  /** How long a connection on which nothing is asked is kept, in milliseconds. */
  keepAliveTimeoutMs: number;
  /** Operations a minute; 0 for any number. */
  rateLimitPerUser: number;
  rateLimitPerAddress: number;
  /** Queries and mutations of a user that run, or wait for their turn, at once; 0 for any number. */
  maxOperationsPerUser: number;
  /** WebSockets that are open at once; 0 for any number. */
  maxSocketsPerUser: number;
  maxSocketsPerAddress: number;
  /** Connections of any kind that are open at once; 0 for any number. */
  maxConnectionsPerAddress: number;
  /** Bytes of memory of all import processes together. */
  importMemoryBytes: number;
  /** Bytes that all imports together have on the disk: uploads, and their temporary files. */
  importSpoolBytes: number;
  /** Average bytes per second of an upload; a slower one is refused. 0 for any. */
  minUploadBytesPerSecond: number;
  /** Milliseconds that an import may run once it has its turn. */
  importTimeoutMs: number;
}

/** The most that this process may have in its heap. */
export const HEAP_BYTES = getHeapStatistics().heap_size_limit;

/** Far above what people and programs ask for, and far below what hurts. */
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
  // What is in the answer is in memory several times at once, and data of many small values takes twenty times its length.
  maxContentBytes: Math.min(128 * 1024 ** 2, Math.floor(HEAP_BYTES / 32)),
  queryTimeoutMs: 30_000,
  mutationTimeoutMs: 60_000,
  requestTimeoutMs: 30_000,
  // Longer than the minute for which most proxies keep theirs: who of the two closes first must not be the server, or
  // the proxy sends a request into a connection that is being closed.
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
  importTimeoutMs: 3_600_000,
};

/** How much of the connections to a database server one user may have at a time, where there are tokens. */
export const SHARE_OF_A_USER = 0.5;

/** In development mode nobody is counted: everybody is on this machine, and mostly one program. */
export const DEVELOPMENT_LIMITS: Readonly<Limits> = {
  ...DEFAULT_LIMITS,
  rateLimitPerUser: 0,
  rateLimitPerAddress: 0,
  maxOperationsPerUser: 0,
  maxSocketsPerUser: 0,
  maxSocketsPerAddress: 0,
  maxConnectionsPerAddress: 0,
};
