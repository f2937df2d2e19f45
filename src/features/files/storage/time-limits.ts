/** Time limits for a storage that hangs, such as a folder of an unreachable network server. */
import { SERVER } from '../../../scheduler/fair-queue.js';
import { FileStorageError, type FileStorage } from '../../../files/file-storage.js';

/** For an operation, and for a content in addition to its transfer. */
export const STORAGE_TIMEOUT_MS = 20_000;
/** The rate at which a content is stored, at least: 1 MB per second. */
const MIN_BYTES_PER_MS = 1_000;

/**
 * The same storage, whose operations end after a time or with the signal, even when they do not react to it.
 * @param timeoutMs of one operation in milliseconds
 */
export function withTimeLimits(storage: FileStorage, timeoutMs = STORAGE_TIMEOUT_MS): FileStorage {
  const { maxBytes, temporaryFolder } = storage;
  const keys = storage.keys?.bind(storage);
  const arrivalFailure = storage.arrivalFailure?.bind(storage);
  const tryPut = storage.tryPut?.bind(storage);
  return {
    maxBytes,
    ...(temporaryFolder !== undefined && { temporaryFolder }),
    ...(arrivalFailure !== undefined && { arrivalFailure }),
    ...(tryPut !== undefined && { tryPut: () => within(timeoutMs, { what: 'store a trial' }, tryPut) }),
    put: (key, path, size, signal) =>
      within(timeoutMs + size / MIN_BYTES_PER_MS, { what: `store file ${key}`, signal }, (ending) =>
        storage.put(key, path, size, ending),
      ),
    read: (key, range, caller = SERVER) =>
      within(timeoutMs, { what: `open file ${key}`, signal: caller.signal }, async (ending) => {
        const content = await storage.read(key, range, { ...caller, signal: ending });
        // The caller has left: the content would stay open.
        if (ending.aborted) content.destroy();
        return content;
      }),
    remove: (key) => within(timeoutMs, { what: `remove file ${key}` }, () => storage.remove(key)),
    size: (key) => within(timeoutMs, { what: `find file ${key}` }, () => storage.size(key)),
    ...(keys !== undefined && { keys }),
    close: () => storage.close?.(),
  };
}

async function within<T>(
  ms: number,
  { what, signal }: { what: string; signal?: AbortSignal | undefined },
  work: (ending: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new FileStorageError('UNAVAILABLE', `The storage did not ${what} within ${Math.ceil(ms)} ms`)),
    ms,
  );
  const ending = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
  let leave = () => {};
  try {
    ending.throwIfAborted();
    const aborted = new Promise<never>((_, reject) => {
      leave = () => reject(ending.reason as Error);
      ending.addEventListener('abort', leave);
    });
    return await Promise.race([work(ending), aborted]);
  } finally {
    clearTimeout(timer);
    ending.removeEventListener('abort', leave);
  }
}
