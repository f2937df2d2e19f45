/**
 * `POST /files`: stores a file of the user. `GET /files?sha256=…`: where to continue a broken upload, and with `size`
 * whether the limits allow it. The answers do not depend on files of others.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Viewer } from '../../../conversation/model.js';
import { referenceTo } from '../../../conversation/files/file-references.js';
import type { HeldBytes } from '../file-quota.js';
import type { MessageFiles } from '../message-files.js';
import { checkedMediaType, mediaTypeOf } from '../../../files/media-types.js';
import { FileStorageError } from '../../../files/file-storage.js';
import type { PartialUpload, PartialUploads } from '../partial-uploads.js';
import { badRequest, parametersOf, refused, signalOfLeaving } from '../../../http/requests/transfer-request.js';
import { receiveUpload, type Arrival, type UploadLimits } from '../../../http/requests/upload.js';

const PARAMETERS = ['name', 'mediaType', 'sha256', 'offset', 'size'] as const;
const SHA256 = /^[0-9a-f]{64}$/;

export interface UploadServices {
  files: MessageFiles;
  uploads: PartialUploads;
  limits: UploadLimits;
}

interface UploadRequest {
  name: string | null;
  mediaType: string | null;
  sha256: string | null;
  offset: number;
  /** The size of the whole file; null when unknown. */
  size: number | null;
}

/** @throws GraphQLError */
export async function answerUpload(
  request: IncomingMessage,
  response: ServerResponse,
  { url, viewer, files, uploads, limits }: UploadServices & { url: URL; viewer: Viewer },
): Promise<void> {
  const asked = uploadRequest(url);
  if (!/^application\/octet-stream\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    const remedy = 'with the type of the file in the parameter mediaType';
    throw refused(
      `The body must have the content type application/octet-stream, ${remedy}`,
      'UNSUPPORTED_MEDIA_TYPE',
      415,
    );
  }
  const maxBytes = await files.maxBytes();
  const failure = await files.arrivalFailure();
  const held = files.hold(viewer.userId);
  const signal = signalOfLeaving(response);
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const sender = { interrupt: () => request.destroy(), ended };
  try {
    const upload = await uploads.open(viewer.userId, asked, sender);
    if (upload === null) throw wrongOffset(uploads.offset(viewer.userId, asked.sha256 ?? ''));
    await receive(request, response, upload, { asked, uploads, limits, maxBytes, held, failure });
    const { id, mediaType, size } = await store(upload, { asked, uploads, files, held, signal });
    answerJson(response, 201, { id, name: asked.name, mediaType, size, reference: referenceTo(id) });
  } finally {
    held.release();
    end();
  }
}

/** @throws GraphQLError */
export async function answerUploadState(
  response: ServerResponse,
  { url, viewer, files, uploads }: UploadServices & { url: URL; viewer: Viewer },
): Promise<void> {
  const { sha256, size } = parametersOf(url, ['sha256', 'size']);
  if (sha256 === undefined || !SHA256.test(sha256))
    throw badRequest('sha256 must be the hash of a file, in 64 hex digits');
  // A refusal while a large body arrives closes the connection, and few clients read it.
  if (size !== undefined) await files.checkSize(viewer.userId, bytesOf('size', size), sha256);
  const isStored = await files.isStored(viewer.userId, sha256);
  answerJson(response, 200, { isStored, offset: isStored ? 0 : uploads.offset(viewer.userId, sha256) });
}

/** A broken upload stays when its client can continue it. */
async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  upload: PartialUpload,
  {
    asked,
    uploads,
    held,
    maxBytes,
    ...arrival
  }: Pick<UploadServices, 'uploads'> &
    Pick<Arrival, 'limits' | 'failure'> & { asked: UploadRequest; held: HeldBytes; maxBytes: number },
): Promise<void> {
  const { path, spooled, size: from } = upload;
  const announced = asked.size ?? from + Number(request.headers['content-length'] ?? 0);
  try {
    // The size may be unknown yet: the whole file is checked again.
    await held.reserve(announced, asked.sha256);
    await receiveUpload(request, response, {
      ...arrival,
      path,
      spooled,
      maxBytes,
      from,
      onBytes: (chunk) => upload.add(chunk),
    });
    if (asked.size !== null && upload.size < asked.size) {
      throw badRequest(`The body ended after ${upload.size} of ${asked.size} bytes`);
    }
    if (upload.size === 0) throw badRequest('The file is empty');
  } catch (error) {
    // On a full disk, the space is needed for others.
    const canContinue = upload.canContinue && !(error instanceof FileStorageError);
    if (canContinue && upload.size > 0 && upload.size <= (asked.size ?? maxBytes)) await uploads.keep(upload);
    else await uploads.remove(upload);
    throw error;
  }
}

async function store(
  upload: PartialUpload,
  {
    asked,
    uploads,
    files,
    held,
    signal,
  }: Pick<UploadServices, 'uploads' | 'files'> & {
    asked: UploadRequest;
    held: HeldBytes;
    signal: AbortSignal;
  },
) {
  const { path, size } = upload;
  let isBroken = false;
  try {
    const sha256 = upload.sha256();
    if (asked.size !== null && size !== asked.size) throw badRequest(`The file has ${size} bytes, not ${asked.size}`);
    if (asked.sha256 !== null && asked.sha256 !== sha256) {
      throw refused(`The content has the SHA-256 ${sha256}, not ${asked.sha256}: send it again`, 'HASH_MISMATCH', 400);
    }
    const mediaType = await checkedMediaType(path, asked.mediaType);
    return await files.add(held.userId, { path, size, sha256, mediaType }, { held, signal });
  } catch (error) {
    isBroken = signal.aborted;
    throw error;
  } finally {
    // The client can continue after the last byte.
    if (isBroken && upload.canContinue) await uploads.keep(upload);
    else await uploads.remove(upload);
  }
}

function uploadRequest(url: URL): UploadRequest {
  const { name = null, mediaType, sha256 = null, offset = '0', size } = parametersOf(url, PARAMETERS);
  if (name !== null && /[/\\]|^\.{1,2}$/.test(name))
    throw badRequest('name must be the name of a file, without a path');
  if (sha256 !== null && !SHA256.test(sha256)) throw badRequest('sha256 must have 64 hex digits in lower case');
  const type = mediaType === undefined ? null : mediaTypeOf(mediaType);
  if (mediaType !== undefined && type === null) throw badRequest('mediaType must be a media type such as image/png');
  const from = bytesOf('offset', offset);
  if (from > 0 && sha256 === null) throw badRequest('offset needs sha256: only an upload with a hash can be continued');
  return { name, mediaType: type, sha256, offset: from, size: size === undefined ? null : bytesOf('size', size) };
}

function bytesOf(name: string, text: string): number {
  if (!/^[0-9]{1,15}$/.test(text)) throw badRequest(`${name} must be a number of bytes`);
  return Number(text);
}

function wrongOffset(offset: number) {
  const message = `The server has ${offset} bytes of this upload: continue there, or start over with offset=0`;
  return refused(message, 'UPLOAD_OFFSET_MISMATCH', 409);
}

export function answerJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
