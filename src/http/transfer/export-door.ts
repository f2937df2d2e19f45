/** `GET /export`: chats as a file, streamed as fast as they are read. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Archive } from '../../conversation/archive.js';
import type { Viewer } from '../../conversation/model.js';
import { ExportReport, exportChats, type ExportRequest } from '../../interchange/exporting/export-chats.js';
import { inPieces } from '../../interchange/exporting/pieces.js';
import { WRITERS, writerNamed } from '../../interchange/writers/all-writers.js';
import { PATHS } from '../../interchange/writers/writer.js';
import { badRequest, ownerOf, parametersOf, refused } from './transfer-request.js';

const PARAMETERS = ['format', 'userId', 'chatId', 'since', 'paths', 'everybody'] as const;

/** @throws GraphQLError when it is not to be had, before anything is answered */
export async function answerExport(
  { method }: IncomingMessage,
  response: ServerResponse,
  { url, viewer, archive }: { url: URL; viewer: Viewer; archive: Archive },
): Promise<void> {
  const request = await exportRequest(url, viewer, archive);
  const { writer } = request;
  response.writeHead(200, {
    'content-type': `${writer.mediaType}; charset=utf-8`,
    'content-disposition': `attachment; filename="${writer.fileName ?? `chats.${writer.extension}`}"`,
    'cache-control': 'no-store',
    'parley-not-held': writer.losses.join('; ').replace(/[^\x20-\x7e]/g, '?'),
  });
  if (method === 'HEAD') {
    response.end();
    return;
  }
  const report = new ExportReport(writer);
  // Ends the reading when the client goes.
  await pipeline(inPieces(exportChats(request, report)), response).catch((error: unknown) => {
    if (!response.destroyed) response.destroy();
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}

async function exportRequest(url: URL, viewer: Viewer, archive: Archive): Promise<ExportRequest> {
  const { format = 'parley', userId, chatId = null, since, paths, everybody } = parametersOf(url, PARAMETERS);
  const writer = writerNamed(format);
  if (writer === undefined) {
    throw badRequest(`There is no format of this name; there are ${WRITERS.map(({ name }) => name).join(', ')}`);
  }
  const which = paths === undefined ? 'active' : PATHS.find((one) => one === paths);
  if (which === undefined) throw badRequest(`paths must be one of ${PATHS.join(', ')}`);
  const from = since === undefined ? null : Date.parse(since);
  if (Number.isNaN(from)) throw badRequest('since must be a time like 2026-01-31T12:00:00Z');
  if (everybody !== undefined && everybody !== 'true') throw badRequest('everybody must be true');
  if (everybody !== undefined && !viewer.isAdmin) {
    throw refused('Only admins have to do with the chats of others', 'FORBIDDEN', 403);
  }
  // A chat is of anybody to admins, and not there for others.
  const isAnybodys = everybody !== undefined || (chatId !== null && userId === undefined && viewer.isAdmin);
  const owner = isAnybodys ? null : ownerOf(viewer, userId);
  if (chatId !== null) {
    const found = await archive.read(chatId);
    if (found === null || (owner !== null && found.chat.userId !== owner)) {
      throw refused('There is no such chat', 'NOT_FOUND', 404);
    }
  }
  return { archive, writer, userId: owner, chatId, since: from, paths: which };
}
