/** The settings of limits: see Limits. */
import { z } from 'zod';
import { DEFAULT_LIMITS, type Limits } from './limits.js';

export const numberWithin = (low: number, high: number) => {
  const message = `must be a whole number from ${low} to ${high}`;
  return z
    .string()
    .regex(/^[0-9]{1,15}$/, message)
    .transform(Number)
    .refine((value) => value >= low && value <= high, message);
};

export const wholeNumber = (low: number, high: number, byDefault: number) => numberWithin(low, high).default(byDefault);

const MAX_BYTES = 999_999_999_999_999;

/** By the names of their variables. */
export const limitSettings = {
  MAX_BODY_BYTES: wholeNumber(1024, 1024 ** 3, DEFAULT_LIMITS.maxBodyBytes),
  MAX_DOCUMENT_LENGTH: wholeNumber(1, 1024 ** 3, DEFAULT_LIMITS.maxDocumentLength),
  MAX_TOKENS: wholeNumber(1, 1_000_000, DEFAULT_LIMITS.maxTokens),
  MAX_DEPTH: wholeNumber(1, 1_000_000, DEFAULT_LIMITS.maxDepth),
  MAX_LIST_DEPTH: wholeNumber(0, 1_000_000, DEFAULT_LIMITS.maxListDepth),
  MAX_ALIASES: wholeNumber(0, 1_000_000, DEFAULT_LIMITS.maxAliases),
  MAX_ROOT_FIELDS: wholeNumber(1, 1_000_000, DEFAULT_LIMITS.maxRootFields),
  MAX_DIRECTIVES: wholeNumber(0, 1_000_000, DEFAULT_LIMITS.maxDirectives),
  MAX_SELECTIONS: wholeNumber(1, 1_000_000, DEFAULT_LIMITS.maxSelections),
  COST_LIMIT: wholeNumber(1, 999_999_999_999, DEFAULT_LIMITS.costLimit),
  // Its default depends on the process's memory.
  MAX_CONTENT_BYTES: numberWithin(1024, 999_999_999_999).optional(),
  QUERY_TIMEOUT_MS: wholeNumber(1, 3_600_000, DEFAULT_LIMITS.queryTimeoutMs),
  MUTATION_TIMEOUT_MS: wholeNumber(1, 3_600_000, DEFAULT_LIMITS.mutationTimeoutMs),
  REQUEST_TIMEOUT_MS: wholeNumber(1000, 3_600_000, DEFAULT_LIMITS.requestTimeoutMs),
  KEEP_ALIVE_TIMEOUT_MS: wholeNumber(1000, 3_600_000, DEFAULT_LIMITS.keepAliveTimeoutMs),
  // Development mode has other defaults.
  RATE_LIMIT_PER_USER: numberWithin(0, 1_000_000_000).optional(),
  RATE_LIMIT_PER_ADDRESS: numberWithin(0, 1_000_000_000).optional(),
  MAX_OPERATIONS_PER_USER: numberWithin(0, 1_000_000).optional(),
  MAX_SOCKETS_PER_USER: numberWithin(0, 1_000_000).optional(),
  MAX_SOCKETS_PER_ADDRESS: numberWithin(0, 1_000_000).optional(),
  MAX_CONNECTIONS_PER_ADDRESS: numberWithin(0, 1_000_000).optional(),
  // Its default depends on the process's memory.
  IMPORT_MEMORY_BYTES: numberWithin(128 * 1024 ** 2, 999_999_999_999).optional(),
  IMPORT_SPOOL_BYTES: wholeNumber(1024, 999_999_999_999, DEFAULT_LIMITS.importSpoolBytes),
  MIN_UPLOAD_BYTES_PER_SECOND: wholeNumber(0, 1024 ** 3, DEFAULT_LIMITS.minUploadBytesPerSecond),
  MIN_DOWNLOAD_BYTES_PER_SECOND: wholeNumber(0, 1024 ** 3, DEFAULT_LIMITS.minDownloadBytesPerSecond),
  UPLOAD_IDLE_TIMEOUT_MS: wholeNumber(1000, 3_600_000, DEFAULT_LIMITS.uploadIdleTimeoutMs),
  UPLOAD_TIMEOUT_MS: wholeNumber(1000, 86_400_000, DEFAULT_LIMITS.uploadTimeoutMs),
  IMPORT_TIMEOUT_MS: wholeNumber(1000, 86_400_000, DEFAULT_LIMITS.importTimeoutMs),
  MAX_FILE_BYTES: wholeNumber(1024, 5 * 1024 ** 3, DEFAULT_LIMITS.maxFileBytes),
  MAX_USER_FILE_BYTES: wholeNumber(1024, MAX_BYTES, DEFAULT_LIMITS.maxUserFileBytes),
  MAX_TOTAL_FILE_BYTES: wholeNumber(1024, MAX_BYTES, DEFAULT_LIMITS.maxTotalFileBytes),
};

type LimitSettings = z.infer<z.ZodObject<typeof limitSettings>>;

/** @param defaults of the settings that depend on the mode */
export function limitsOf(data: LimitSettings, defaults: Readonly<Limits>): Limits {
  return {
    maxBodyBytes: data.MAX_BODY_BYTES,
    maxDocumentLength: data.MAX_DOCUMENT_LENGTH,
    maxTokens: data.MAX_TOKENS,
    maxDepth: data.MAX_DEPTH,
    maxListDepth: data.MAX_LIST_DEPTH,
    maxAliases: data.MAX_ALIASES,
    maxRootFields: data.MAX_ROOT_FIELDS,
    maxDirectives: data.MAX_DIRECTIVES,
    maxSelections: data.MAX_SELECTIONS,
    costLimit: data.COST_LIMIT,
    maxContentBytes: data.MAX_CONTENT_BYTES ?? defaults.maxContentBytes,
    queryTimeoutMs: data.QUERY_TIMEOUT_MS,
    mutationTimeoutMs: data.MUTATION_TIMEOUT_MS,
    requestTimeoutMs: data.REQUEST_TIMEOUT_MS,
    keepAliveTimeoutMs: data.KEEP_ALIVE_TIMEOUT_MS,
    rateLimitPerUser: data.RATE_LIMIT_PER_USER ?? defaults.rateLimitPerUser,
    rateLimitPerAddress: data.RATE_LIMIT_PER_ADDRESS ?? defaults.rateLimitPerAddress,
    maxOperationsPerUser: data.MAX_OPERATIONS_PER_USER ?? defaults.maxOperationsPerUser,
    maxSocketsPerUser: data.MAX_SOCKETS_PER_USER ?? defaults.maxSocketsPerUser,
    maxSocketsPerAddress: data.MAX_SOCKETS_PER_ADDRESS ?? defaults.maxSocketsPerAddress,
    maxConnectionsPerAddress: data.MAX_CONNECTIONS_PER_ADDRESS ?? defaults.maxConnectionsPerAddress,
    importMemoryBytes: data.IMPORT_MEMORY_BYTES ?? defaults.importMemoryBytes,
    importSpoolBytes: data.IMPORT_SPOOL_BYTES,
    minUploadBytesPerSecond: data.MIN_UPLOAD_BYTES_PER_SECOND,
    minDownloadBytesPerSecond: data.MIN_DOWNLOAD_BYTES_PER_SECOND,
    uploadIdleTimeoutMs: data.UPLOAD_IDLE_TIMEOUT_MS,
    uploadTimeoutMs: data.UPLOAD_TIMEOUT_MS,
    importTimeoutMs: data.IMPORT_TIMEOUT_MS,
    maxFileBytes: data.MAX_FILE_BYTES,
    maxUserFileBytes: data.MAX_USER_FILE_BYTES,
    maxTotalFileBytes: data.MAX_TOTAL_FILE_BYTES,
  };
}
