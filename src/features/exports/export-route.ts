/**
 * `GET /export`: chats as a file, streamed as the client reads them. An export whose rights end is ended without the end of
 * its response.
 */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { AuditRecord } from '../../audit.js';
import type { Session } from '../../auth/session.js';
import { AccessEndedError, auditedArchive, type Archive } from './archive.js';
import type { Viewer } from '../../conversation/model.js';
import { onlyChatOf } from '../../conversation/access/ownership.js';
import type { Files } from '../../files/files.js';
import { ExportReport, exportChats, type ExportRequest } from './export-chats.js';
import { chatFileName } from './chat-file.js';
import { folderExtension, zippedExport } from './export-targets.js';
import { inPieces } from './pieces.js';
import type { Caller } from '../../scheduler/fair-queue.js';
import { PATHS, writerNamed, WRITERS } from '@parley/interchange/server';
import { atEnd } from '../../http/server/session-end.js';
import { badRequest, ownerOf, parametersOf, refused } from '../../http/requests/transfer-request.js';

const PARAMETERS = ['format', 'userId', 'chatId', 'since', 'paths', 'everybody', 'zip'] as const;

export interface ExportCall {
  url: URL;
  session: Session;
  archive: (caller: Caller) => Archive;
  files: Files;
  /** Null when the audit log is off. */
  audit: AuditRecord | null;
}

/** @throws GraphQLError when the request is refused, before anything is answered */
export async function answerExport(
  { method }: IncomingMessage,
  response: ServerResponse,
  { url, session, archive, files, audit }: ExportCall,
): Promise<void> {
  const { viewer } = session;
  const ending = new AbortController();
  const forget = atEnd(session, (reason) => {
    ending.abort(new AccessEndedError(reason === 'expired' ? 'the token expired' : 'the token was revoked'));
  });
  try {
    const own = archive({ userId: viewer.userId, signal: ending.signal });
    const asked = await exportRequest(url, viewer, own);
    const request = { ...asked, archive: auditedArchive(own, audit), files, signal: ending.signal };
    await sendExport(method, response, request);
  } catch (error) {
    if (!(error instanceof AccessEndedError)) throw error;
    throw refused('The token has expired or was revoked', 'UNAUTHENTICATED', 401);
  } finally {
    forget();
  }
}

/** An export, its file's name, and whether the file is a zip. */
interface ExportedFile extends ExportRequest {
  name: string;
  isZip: boolean;
}

async function sendExport(method: string | undefined, response: ServerResponse, request: ExportedFile): Promise<void> {
  const { writer, name, isZip } = request;
  response.writeHead(200, {
    'content-type': isZip ? 'application/zip' : `${writer.mediaType}; charset=utf-8`,
    'content-disposition': attachment(name),
    'cache-control': 'no-store',
    'parley-not-held': lossesOf(request)
      .join('; ')
      .replace(/[^\x20-\x7e]/g, '?'),
  });
  if (method === 'HEAD') {
    response.end();
    return;
  }
  async function* pieces() {
    try {
      const report = new ExportReport(writer);
      yield* isZip ? zippedExport(request, report) : inPieces(exportChats(request, report));
    } catch (error) {
      if (!(error instanceof AccessEndedError)) throw error;
      // The last line is still sent; the missing end of the response shows the client that the file is incomplete.
      if (response.socket === null) response.destroy();
      else response.socket.destroySoon();
      await once(response, 'close');
    }
  }
  // Ends the reading when the client disconnects.
  await pipeline(pieces, response).catch((error: unknown) => {
    if (!response.destroyed) response.destroy();
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}

function lossesOf({ writer, isZip }: ExportedFile): readonly string[] {
  return writer.name === 'parley' && !isZip ? [...writer.losses, 'contents of files, which a zip has'] : writer.losses;
}

async function exportRequest(url: URL, viewer: Viewer, archive: Archive): Promise<ExportedFile> {
  const { format = 'parley', userId, since, paths, everybody, zip, ...asked } = parametersOf(url, PARAMETERS);
  const onlyChat = onlyChatOf(viewer);
  const chatId = asked.chatId ?? onlyChat;
  const writer = writerNamed(format);
  if (writer === undefined) {
    throw badRequest(`There is no format of this name; there are ${WRITERS.map(({ name }) => name).join(', ')}`);
  }
  const which = paths === undefined ? 'active' : PATHS.find((one) => one === paths);
  if (which === undefined) throw badRequest(`paths must be one of ${PATHS.join(', ')}`);
  const from = since === undefined ? null : Date.parse(since);
  if (Number.isNaN(from)) throw badRequest('since must be a time like 2026-01-31T12:00:00Z');
  if (everybody !== undefined && everybody !== 'true') throw badRequest('everybody must be true');
  if (zip !== undefined && zip !== 'true') throw badRequest('zip must be true');
  if (everybody !== undefined && !viewer.isAdmin) {
    throw refused('Only admins can access the chats of other users', 'FORBIDDEN', 403);
  }
  // Admins may export the chat of any user; for other viewers only chats exist of which they are owners or members.
  const isOfAllUsers = everybody !== undefined || (chatId !== null && userId === undefined && viewer.isAdmin);
  const owner = isOfAllUsers ? null : ownerOf(viewer, userId);
  const request = { archive, writer, userId: owner, chatId, since: from, paths: which, isZip: zip !== undefined };
  if (chatId === null) {
    const name = request.isZip ? 'chats.zip' : (writer.fileName ?? `chats.${writer.extension}`);
    return { ...request, name };
  }
  const found = onlyChat === null || onlyChat === chatId ? await archive.read(chatId, owner, 'READABLE') : null;
  if (found === null) throw refused('There is no such chat', 'NOT_FOUND', 404);
  return { ...request, name: chatFileName(found.chat, request.isZip ? 'zip' : folderExtension(request)) };
}

/** @param name without quotes and control characters, as chatFileName returns it */
function attachment(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]+/g, '-');
  const encoded = ascii === name ? '' : `; filename*=UTF-8''${encodeURIComponent(name)}`;
  return `attachment; filename="${ascii}"${encoded}`;
}
