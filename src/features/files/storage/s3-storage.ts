/** Stores each file as an object of a bucket, with the AWS SDK: Amazon S3 and servers with its API. */
import type * as Sdk from '@aws-sdk/client-s3';
import { open, type FileHandle } from 'node:fs/promises';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { pipeline as pipe, Readable } from 'node:stream';
import { loadOptional } from '../../../system/optional-package.js';
import { FairLimiter } from '../../../scheduler/fair-limiter.js';
import { SERVER, type Caller } from '../../../scheduler/fair-queue.js';
import { ExactBytes } from './exact-bytes.js';
import {
  bytesOfRange,
  FileStorageError,
  hashOfKey,
  type FileStorage,
  type FileStorageFault,
} from '../../../files/file-storage.js';
import type { S3Location } from './s3-url.js';

/** The limit of S3 for an object that is sent at once. */
const MAX_BYTES = 5 * 1024 ** 3;
/** Each transfer uses one. */
const MAX_SOCKETS = 256;
/** The other sockets remain for uploads, saves and removals. */
const MAX_READS = 192;
/** Slow clients of one user leave places for others. */
const MAX_READS_OF_A_USER = MAX_READS / 4;
/** Further reads wait for this time. */
const READ_TURN_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** Between two chunks, and until the response. */
const IDLE_TIMEOUT_MS = 60_000;
const MAX_CAUSE_LENGTH = 300;
/** The default one prints warnings. */
const QUIET: NonNullable<Sdk.S3ClientConfig['logger']> = { debug() {}, info() {}, warn() {}, error() {} };

const FAULTS: Partial<Record<string, FileStorageFault>> = {
  NoSuchKey: 'MISSING',
  // HEAD has no body with a code.
  NotFound: 'MISSING',
  InvalidRange: 'BROKEN',
  BadDigest: 'BROKEN',
  XAmzContentSHA256Mismatch: 'BROKEN',
  QuotaExceeded: 'NO_SPACE',
  XMinioStorageFull: 'NO_SPACE',
};

/**
 * Sends no request: errors of bucket and credentials come with the first file.
 * @throws Error when the AWS SDK is not installed or no region is configured
 */
export async function openS3Storage(location: S3Location): Promise<FileStorage> {
  const sdk = await loadOptional('Storage of files in S3', () => import('@aws-sdk/client-s3'));
  const { region, endpoint } = location;
  const sockets = { keepAlive: true, maxSockets: MAX_SOCKETS };
  const client = new sdk.S3Client({
    ...(region !== null && { region }),
    ...(endpoint !== null && { endpoint, forcePathStyle: true }),
    requestHandler: {
      // Instances: the SDK sends large files outside the limit of an agent that it creates.
      httpAgent: new HttpAgent(sockets),
      httpsAgent: new HttpsAgent(sockets),
      connectionTimeout: CONNECT_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
    logger: QUIET,
    expectContinueHeader: false,
    // put() sends the hash that is known; other checksums would read the file twice or need trailers.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  await client.config.region().catch(() => {
    throw new Error('FILES_URL must have a region, such as s3://bucket?region=eu-central-1, or AWS_REGION must be set');
  });
  return new S3Storage(sdk, client, location);
}

class S3Storage implements FileStorage {
  readonly maxBytes = MAX_BYTES;
  readonly #reads = new FairLimiter({ concurrency: MAX_READS, perUser: MAX_READS_OF_A_USER });

  constructor(
    private readonly sdk: typeof Sdk,
    private readonly client: Sdk.S3Client,
    private readonly location: S3Location,
  ) {}

  async put(key: string, path: string, size: number, signal?: AbortSignal): Promise<void> {
    const hash = hashOfKey(key);
    if (size > MAX_BYTES) throw new RangeError(`A file must have at most ${MAX_BYTES} bytes in S3, got ${size}`);
    const file = await open(path, 'r');
    const aborter = new AbortController();
    const abort = () => aborter.abort(signal?.reason);
    try {
      const { size: actual } = await file.stat();
      if (actual !== size) throw FileStorageError.broken(key, size, actual);
      signal?.addEventListener('abort', abort);
      signal?.throwIfAborted();
      await this.#send(file, { key, hash, size, aborter });
    } catch (error) {
      signal?.throwIfAborted();
      aborter.signal.throwIfAborted();
      // Ends a request that was answered before its content was sent.
      aborter.abort();
      throw this.#failure(error, key);
    } finally {
      signal?.removeEventListener('abort', abort);
      await file.close();
    }
  }

  async #send(
    file: FileHandle,
    { key, hash, size, aborter }: { key: string; hash: string; size: number; aborter: AbortController },
  ): Promise<void> {
    const idle = setTimeout(() => aborter.abort(this.#stalled(key)), IDLE_TIMEOUT_MS);
    const content = new ExactBytes(
      size,
      (bytes) => FileStorageError.broken(key, size, bytes),
      () => idle.refresh(),
    );
    // The SDK ignores errors of a body.
    content.once('error', (error) => aborter.abort(error));
    const command = new this.sdk.PutObjectCommand({
      ...this.#object(key),
      Body: content,
      ContentLength: size,
      ChecksumSHA256: Buffer.from(hash, 'hex').toString('base64'),
    });
    // The signature contains the hash: servers that ignore the checksum verify the content, too.
    command.middlewareStack.add(
      (next) => (args) => {
        (args.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] = hash;
        return next(args);
      },
      { step: 'build', name: 'knownHash' },
    );
    try {
      pipe(file.createReadStream({ start: 0, end: Math.max(size - 1, 0), autoClose: false }), content, () => {});
      await this.client.send(command, { abortSignal: aborter.signal });
    } finally {
      clearTimeout(idle);
      content.destroy();
    }
  }

  async read(key: string, range: { start: number; end: number }, caller = SERVER): Promise<Readable> {
    hashOfKey(key);
    const endTurn = await this.#beginRead(caller);
    try {
      const content = await this.#read(key, range, caller.signal);
      content.once('close', endTurn);
      return content;
    } catch (error) {
      endTurn();
      throw error;
    }
  }

  /** A slow client keeps its socket until its download ends. */
  async #beginRead({ userId, signal }: Caller): Promise<() => void> {
    const late = new AbortController();
    const message = `The storage of files serves ${MAX_READS} downloads at once, ${MAX_READS_OF_A_USER} of a user: retry later`;
    const timer = setTimeout(() => late.abort(new FileStorageError('BUSY', message)), READ_TURN_TIMEOUT_MS);
    try {
      const either = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
      return await this.#reads.begin({ userId, signal: either });
    } finally {
      clearTimeout(timer);
    }
  }

  async #read(key: string, range: { start: number; end: number }, signal?: AbortSignal): Promise<Readable> {
    const { start, end } = range;
    const bytes = bytesOfRange(range);
    const command = new this.sdk.GetObjectCommand({
      ...this.#object(key),
      ...(bytes > 0 && { Range: `bytes=${start}-${end}` }),
    });
    try {
      const { Body, ContentLength, ContentRange } = await this.client.send(command, {
        requestTimeout: IDLE_TIMEOUT_MS,
        ...(signal && { abortSignal: signal }),
      });
      const body = Body as Readable;
      if (bytes === 0) {
        body.destroy();
        return Readable.from([]);
      }
      if (ContentRange?.startsWith(`bytes ${start}-${end}/`) !== true) {
        body.destroy();
        const total = /\/(\d+)$/.exec(ContentRange ?? '')?.[1] ?? ContentLength;
        throw FileStorageError.broken(key, end + 1, Number(total));
      }
      return this.#bounded(body, key, range);
    } catch (error) {
      signal?.throwIfAborted();
      throw this.#failure(error, key);
    }
  }

  #bounded(body: Readable, key: string, { start, end }: { start: number; end: number }): Readable {
    const content = new ExactBytes(
      end - start + 1,
      (bytes) => FileStorageError.broken(key, end + 1, start + bytes),
      () => idle.refresh(),
    );
    const idle = setTimeout(() => {
      // A slow reader of the stream pauses the body, too.
      if (content.writableNeedDrain) idle.refresh();
      else content.destroy(this.#stalled(key));
    }, IDLE_TIMEOUT_MS).unref();
    content.once('close', () => clearTimeout(idle));
    body.once('error', (error) => content.destroy(this.#failure(error, key)));
    return pipe(body, content, () => {});
  }

  async remove(key: string): Promise<void> {
    hashOfKey(key);
    try {
      await this.client.send(new this.sdk.DeleteObjectCommand(this.#object(key)), { requestTimeout: IDLE_TIMEOUT_MS });
    } catch (error) {
      const failure = this.#failure(error, key);
      if (failure.fault !== 'MISSING') throw failure;
    }
  }

  async size(key: string): Promise<number | null> {
    hashOfKey(key);
    try {
      const command = new this.sdk.HeadObjectCommand(this.#object(key));
      return (await this.client.send(command, { requestTimeout: IDLE_TIMEOUT_MS })).ContentLength ?? 0;
    } catch (error) {
      const failure = this.#failure(error, key);
      if (failure.fault === 'MISSING') return null;
      throw failure;
    }
  }

  close(): void {
    this.client.destroy();
  }

  #object(key: string): { Bucket: string; Key: string } {
    const { bucket, prefix } = this.location;
    return { Bucket: bucket, Key: `${prefix}${key}` };
  }

  #stalled(key: string): FileStorageError {
    return this.#failure(new Error(`no data was transferred for ${IDLE_TIMEOUT_MS} ms`), key);
  }

  /** Keeps no cause: the errors of the SDK contain headers of the request. */
  #failure(error: unknown, key: string): FileStorageError {
    if (error instanceof FileStorageError) return error;
    const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
    const fault = FAULTS[name] ?? faultOfStatus($metadata?.httpStatusCode);
    if (fault === 'MISSING') return FileStorageError.missing(key);
    const cause = message === name || message === '' ? name : `${name}: ${message}`;
    return new FileStorageError(fault, `The bucket ${this.location.shown} failed: ${cause.slice(0, MAX_CAUSE_LENGTH)}`);
  }
}

function faultOfStatus(status: number | undefined): FileStorageFault {
  if (status === 401 || status === 403) return 'DENIED';
  return status === 507 ? 'NO_SPACE' : 'UNAVAILABLE';
}
