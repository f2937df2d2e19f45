/** Sends a file to `POST /files`, and continues after broken connections. */
import type { OpenRoute } from '@parley/transport/chat-files';
import { codeOf, isUnreachable } from '@parley/transport/errors';
import type { RetryDelay } from '@parley/transport/pause';
import { retry } from '@parley/transport/retry';
import type { OnSent } from '../transfer/upload.js';

/** Bytes of the largest file that is hashed: WebCrypto hashes only data in memory. */
const MAX_HASHED_BYTES = 128 * 1024 * 1024;
/** Bytes from which a first attempt requests the offset, to continue an upload from before a reload, and to learn of a limit. */
const MIN_CONTINUED_BYTES = 1024 * 1024;
/** Failed attempts in a row in which no byte arrived. */
const MAX_FAILURES = 8;

/** Refusals that later attempts do not get. */
const PASSING_CODES = ['UPLOAD_OFFSET_MISMATCH', 'REQUEST_TIMEOUT'];
/** After this number of wrong offsets in a row, the upload starts over: requests may reach several servers in turn. */
const MAX_MISMATCHES = 2;

export interface UploadOptions {
  /**
   * The name in the answer, without a path.
   * @default the name of a File
   */
  name?: string;
  /**
   * The expected type: a content of another type is refused.
   * @default the type of the Blob if the content agrees with it, else the type that the server detects
   */
  mediaType?: string;
  /**
   * Called with the bytes that were sent. Between the first and the last byte it needs XMLHttpRequest, hence a page without
   * the option `fetch`.
   */
  onProgress?: (progress: UploadProgress) => void;
  /** Ends the upload; the same file can be continued within an hour. */
  signal?: AbortSignal;
}

export interface UploadProgress {
  bytes: number;
  /** The size of the file in bytes. */
  of: number;
}

export interface UploadedFile {
  /** The SHA-256 of the content, in hex. */
  id: string;
  name: string | null;
  mediaType: string;
  /** In bytes. */
  size: number;
  /** `parley:file:<id>`, for the data of messages. */
  reference: string;
}

/** @throws as `Files.uploadFile` */
export async function uploadFile(
  opening: (onSent?: OnSent) => OpenRoute,
  delay: RetryDelay,
  file: Blob,
  { name = (file as Partial<File>).name, mediaType, onProgress, signal }: UploadOptions,
): Promise<UploadedFile> {
  const { size } = file;
  const sha256 = await hashOf(file);
  const request = signal === undefined ? {} : { signal };
  const query: Record<string, string | undefined> = { name, sha256, size: String(size) };
  query['mediaType'] = mediaType ?? (file.type === '' ? undefined : file.type);
  let arrived = 0;
  let failures = 0;
  let mismatches = 0;
  let isFirst = true;

  const offsetOfServer = async () => {
    if (mismatches === MAX_MISMATCHES) return 0;
    if (sha256 === undefined || (isFirst && size < MIN_CONTINUED_BYTES)) return 0;
    const response = await opening()('files', { sha256, size: String(size) }, request);
    const { offset } = (await response.json()) as { offset: number };
    return offset <= size ? offset : 0;
  };
  const attempt = async (): Promise<UploadedFile> => {
    signal?.throwIfAborted();
    const offset = await offsetOfServer();
    isFirst = false;
    if (offset > arrived) failures = 0;
    arrived = offset;
    onProgress?.({ bytes: offset, of: size });
    const open = opening(onProgress && ((bytes) => onProgress({ bytes: Math.min(offset + bytes, size), of: size })));
    const response = await open(
      'files',
      { ...query, offset: String(offset) },
      {
        ...request,
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body: offset === 0 ? file : file.slice(offset),
      },
    );
    const stored = (await response.json()) as UploadedFile;
    onProgress?.({ bytes: size, of: size });
    return stored;
  };
  const isPassing = (reason: unknown) => {
    if (isTypeOfBlob(reason)) {
      query['mediaType'] = undefined;
      return true;
    }
    mismatches = codeOf(reason) === 'UPLOAD_OFFSET_MISMATCH' ? mismatches + 1 : 0;
    return (isUnreachable(reason) || PASSING_CODES.includes(codeOf(reason) ?? '')) && ++failures < MAX_FAILURES;
  };
  /** Browsers derive the type of a file from its name, which may be wrong. */
  const isTypeOfBlob = (reason: unknown) =>
    codeOf(reason) === 'UNSUPPORTED_MEDIA_TYPE' && mediaType === undefined && query['mediaType'] !== undefined;

  return retry(attempt, () => delay(failures), signal, isPassing);
}

/** In hex; undefined for a large file, and in pages without https, which have no WebCrypto. */
async function hashOf(file: Blob): Promise<string | undefined> {
  const { subtle } = crypto as { subtle?: SubtleCrypto };
  if (subtle === undefined || file.size > MAX_HASHED_BYTES) return undefined;
  const hash = new Uint8Array(await subtle.digest('SHA-256', await file.arrayBuffer()));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
