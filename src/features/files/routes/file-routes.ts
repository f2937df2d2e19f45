/** The routes of files: see docs/files.md. */
import { FileLimitError } from '../../../files/files.js';
import { MediaTypeError } from '../../../files/media-types.js';
import { FileStorageError } from '../../../files/file-storage.js';
import { badRequest, parametersOf, refused } from '../../../http/requests/transfer-request.js';
import { TransferSlots } from '../../../limits/transfer-slots.js';
import type { Route } from '../../../route.js';
import { answerDownload, fileIdOf, type DownloadServices } from './download-route.js';
import type { UrlSigner } from './signed-urls.js';
import { answerUpload, answerUploadState, type UploadServices, answerJson } from './upload-route.js';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { AuditRecord } from '../../../audit.js';
import type { Session } from '../../../auth/session.js';
import type { MessageFiles } from '../message-files.js';
import { receiveJson } from '../../../http/requests/receive-json.js';

export interface FileServices extends UploadServices, DownloadServices {
  limits: UploadServices['limits'] & DownloadServices['limits'];
  signer: UrlSigner;
}

const INVALID_URL = 'The URL has expired, or its signature is wrong: request a new one with POST /files/links';

const DOWNLOAD_PARAMETERS = ['message', 'download', 'user', 'admin', 'token', 'expires', 'signature'] as const;

export function fileRoutes(services: FileServices): Readonly<Record<string, Route>> {
  const uploads = new TransferSlots('uploads of files', { ofAUser: 100, ofAll: 400 });
  // Browsers load the images of a thread at once.
  const downloads = new TransferSlots('downloads of files', { ofAUser: 200, ofAll: 2_000 });
  const routes = {
    '/files': uploadRoute(services, uploads, downloads),
    '/files/links': linksRoute(services, downloads),
    '/files/*': downloadRoute(services, downloads),
  };
  return Object.fromEntries(
    Object.entries(routes).map(([path, route]) => [
      path,
      { ...route, answer: (call) => route.answer(call).catch(fail) },
    ]),
  );
}

/** @throws GraphQLError for every error with a specific response */
function fail(error: unknown): never {
  if (error instanceof FileLimitError) throw refused(error.message, 'PAYLOAD_TOO_LARGE', 413);
  if (error instanceof MediaTypeError) throw refused(error.message, 'UNSUPPORTED_MEDIA_TYPE', 415);
  if (error instanceof FileStorageError && error.fault === 'BUSY') throw refused(error.message, 'OVERLOADED', 503);
  throw error;
}

function uploadRoute(services: FileServices, uploads: TransferSlots, downloads: TransferSlots): Route {
  return {
    methods: ['GET', 'POST'],
    slots: downloads,
    scope: 'READ',
    ofMethod: { POST: { slots: uploads, scope: 'WRITE' } },
    isUpload: true,
    isForPages: true,
    answer: ({ request, response, url, session: { viewer } }) => {
      const asked = { url, viewer, ...services };
      return request.method === 'POST' ? answerUpload(request, response, asked) : answerUploadState(response, asked);
    },
  };
}

function linksRoute(services: FileServices, slots: TransferSlots): Route {
  return {
    methods: ['POST'],
    slots,
    scope: 'READ',
    event: 'file.linked',
    isForPages: true,
    answer: ({ request, response, session, audit }) => answerLinks(request, response, { session, audit, ...services }),
  };
}

function downloadRoute({ signer, ...services }: FileServices, slots: TransferSlots): Route {
  return {
    methods: ['GET', 'HEAD'],
    slots,
    scope: 'READ',
    event: 'file.downloaded',
    isForPages: true,
    signedSession: (url) => {
      const parameters = parametersOf(url, DOWNLOAD_PARAMETERS);
      if (parameters.signature === undefined) return null;
      const viewer = signer.viewerOf(nameIn(url), parameters);
      if (viewer === null) throw refused(INVALID_URL, 'FORBIDDEN', 403);
      return { viewer, expiresAt: null };
    },
    answer: ({ request, response, url, session: { viewer }, audit }) => {
      const { message = null, download } = parametersOf(url, DOWNLOAD_PARAMETERS);
      if (download !== undefined && download !== 'true') throw badRequest('download must be true');
      const asked = { fileId: fileIdOf(nameIn(url)), messageId: message, isSaved: download === 'true', viewer, audit };
      return answerDownload(request, response, { ...asked, ...services });
    },
  };
}

const nameIn = ({ pathname }: URL): string => pathname.slice('/files/'.length);

/** `POST /files/links`: signed URLs of files for elements that send no token. */
const MAX_LINKS = 100;
const MAX_BODY_BYTES = 256 * 1024;

const linksRequest = z.object({
  files: z
    .array(z.object({ fileId: z.string().regex(/^[0-9a-f]{64}$/), messageId: z.string().min(1).max(255) }))
    .min(1)
    .max(MAX_LINKS),
});

/** @throws GraphQLError when the body is not a list of files */
async function answerLinks(
  request: IncomingMessage,
  response: ServerResponse,
  {
    session,
    audit,
    files,
    signer,
  }: { session: Session; audit: AuditRecord | null; files: MessageFiles; signer: UrlSigner },
): Promise<void> {
  const parsed = linksRequest.safeParse(await receiveJson(request, response, MAX_BODY_BYTES));
  if (!parsed.success) {
    throw badRequest(`The body must be {"files": [{"fileId", "messageId"}]} with 1 to ${MAX_LINKS} files`);
  }
  const asked = parsed.data.files;
  const found = await files.readableIn(session.viewer, asked);
  const links = asked.map((file, n) => {
    const readable = found[n] ?? null;
    // The same for an unknown file and one that the viewer may not read.
    if (readable === null) audit?.missed('file.linked');
    else audit?.done({ event: 'file.linked', chatIds: [readable.chatId], target: file.fileId });
    const signed =
      readable === null
        ? { url: null, expiresAt: null }
        : signer.sign(file, { ...readable, id: readable.chatId }, session);
    return { ...file, ...signed };
  });
  answerJson(response, 200, { links });
}
