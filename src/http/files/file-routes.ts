/** The routes of files: see docs/files.md. */
import { FileLimitError } from '../../files/file-quota.js';
import { MediaTypeError } from '../../files/media-types.js';
import { FileStorageError } from '../../files/storage/file-storage.js';
import { badRequest, parametersOf, refused } from '../requests/transfer-request.js';
import { TransferSlots } from '../../limits/transfer-slots.js';
import type { Route } from '../../route.js';
import { answerDownload, fileIdOf, type DownloadServices } from './download-route.js';
import { answerLinks } from './links-route.js';
import type { UrlSigner } from './signed-urls.js';
import { answerUpload, answerUploadState, type UploadServices } from './upload-route.js';

export interface FileServices extends UploadServices, DownloadServices {
  limits: UploadServices['limits'] & DownloadServices['limits'];
  signer: UrlSigner;
}

/** Of uploads. */
export const FILES_PATH = '/files';

const INVALID_URL = 'The URL has expired, or its signature is wrong: request a new one with POST /files/links';

const DOWNLOAD_PARAMETERS = ['message', 'download', 'user', 'admin', 'token', 'expires', 'signature'] as const;

interface Slots {
  uploads: TransferSlots;
  downloads: TransferSlots;
}

/** @returns a function that returns null for another path */
export function createFileRoutes(services: FileServices): (path: string, method?: string) => Route | null {
  const slots = {
    uploads: new TransferSlots('uploads of files', { ofAUser: 100, ofAll: 400 }),
    // Browsers load the images of a thread at once.
    downloads: new TransferSlots('downloads of files', { ofAUser: 200, ofAll: 2_000 }),
  };
  return (path, method = 'GET') => {
    const route = routeAt(services, slots, path, method);
    return route && { ...route, answer: (call) => route.answer(call).catch(fail) };
  };
}

/** @throws GraphQLError for every error with a specific response */
function fail(error: unknown): never {
  if (error instanceof FileLimitError) throw refused(error.message, 'PAYLOAD_TOO_LARGE', 413);
  if (error instanceof MediaTypeError) throw refused(error.message, 'UNSUPPORTED_MEDIA_TYPE', 415);
  if (error instanceof FileStorageError && error.fault === 'BUSY') throw refused(error.message, 'OVERLOADED', 503);
  throw error;
}

function routeAt(services: FileServices, slots: Slots, path: string, method: string): Route | null {
  if (path === FILES_PATH) return uploadRoute(services, slots, method);
  if (path === '/files/links') {
    return {
      methods: ['POST'],
      slots: slots.downloads,
      scope: 'READ',
      event: 'file.linked',
      answer: ({ request, response, session, audit }) =>
        answerLinks(request, response, { session, audit, ...services }),
    };
  }
  return path.startsWith('/files/') ? downloadRoute(services, slots, path.slice('/files/'.length)) : null;
}

function uploadRoute(services: FileServices, { uploads, downloads }: Slots, method: string): Route {
  return {
    methods: ['GET', 'POST'],
    ...(method === 'POST' ? { slots: uploads, scope: 'WRITE' } : { slots: downloads, scope: 'READ' }),
    answer: ({ request, response, url, session: { viewer } }) => {
      const asked = { url, viewer, ...services };
      return method === 'POST' ? answerUpload(request, response, asked) : answerUploadState(response, asked);
    },
  };
}

function downloadRoute({ signer, ...services }: FileServices, { downloads }: Slots, name: string): Route {
  return {
    methods: ['GET', 'HEAD'],
    slots: downloads,
    scope: 'READ',
    event: 'file.downloaded',
    signedSession: (url) => {
      const parameters = parametersOf(url, DOWNLOAD_PARAMETERS);
      if (parameters.signature === undefined) return null;
      const viewer = signer.viewerOf(name, parameters);
      if (viewer === null) throw refused(INVALID_URL, 'FORBIDDEN', 403);
      return { viewer, expiresAt: null };
    },
    answer: ({ request, response, url, session: { viewer }, audit }) => {
      const { message = null, download } = parametersOf(url, DOWNLOAD_PARAMETERS);
      if (download !== undefined && download !== 'true') throw badRequest('download must be true');
      const asked = { fileId: fileIdOf(name), messageId: message, isSaved: download === 'true', viewer, audit };
      return answerDownload(request, response, { ...asked, ...services });
    },
  };
}
