/** Writes an export to a file, a folder, a zip or a stream. Incomplete files never have their final name. */
import { createWriteStream } from 'node:fs';
import { opendir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { Chat } from '../../conversation/model.js';
import { chatFileName, ofChat } from './chat-file.js';
import { askedChats, exportChats, exportOne, type ExportReport, type ExportRequest } from './export-chats.js';
import { filesToExport } from './exported-files.js';
import { inPieces } from './pieces.js';
import { makeFolder } from '../../system/make-folder.js';
import { writeFailure } from '../../system/write-failure.js';

/** The suffix of unfinished files. */
const PART = '.part';

/** Writes to the caller's stream and leaves it open. */
export async function exportToStream(request: ExportRequest, report: ExportReport, out: Writable): Promise<void> {
  await pipeline(inPieces(exportChats(request, report)), out, { end: false }).catch((error: unknown) => {
    throw writeFailure(error, 'The output');
  });
}

export function exportToFile(request: ExportRequest, report: ExportReport, path: string): Promise<void> {
  return whole(path, (part) => pipeline(inPieces(exportChats(request, report)), createWriteStream(part)));
}

/**
 * Writes a file for each chat and keeps files that are up to date, so that an interrupted export continues. Files under
 * a chat's previous title, unfinished ones too, are deleted.
 */
export async function exportToFolder(request: ExportRequest, report: ExportReport, folder: string): Promise<void> {
  try {
    makeFolder(folder, 0o777);
  } catch (error) {
    throw writeFailure(error, folder);
  }
  const extension = folderExtension(request);
  const there = await filesByChat(folder, extension);
  const cutOff = await filesByChat(folder, `${extension}${PART}`);
  for await (const chat of askedChats(request)) {
    const name = chatFileName(chat.chat, extension);
    const before = there.get(ofChat(chat.chat, extension)) ?? [];
    const path = join(folder, name);
    await removeAllBut(`${name}${PART}`, cutOff.get(ofChat(chat.chat, `${extension}${PART}`)) ?? [], folder);
    if (before.includes(name) && (await isAsOf(path, chat.chat))) {
      report.pass();
      continue;
    }
    await whole(path, async (part) => {
      await pipeline(inPieces(exportOne(request, chat, report)), createWriteStream(part));
      await utimes(part, changeTime(chat.chat), changeTime(chat.chat));
    });
    await removeAllBut(name, before, folder);
  }
}

async function removeAllBut(name: string, names: readonly string[], folder: string): Promise<void> {
  for (const other of names) if (other !== name) await rm(join(folder, other), { force: true });
}

/** The extension of a chat's own file. Files of different formats and paths can share a folder. */
export function folderExtension({ writer, paths }: ExportRequest): string {
  const { name, extension, fileName } = writer;
  return [...(fileName === null ? [] : [name]), ...(paths === 'active' ? [] : [paths]), extension].join('.');
}

/** The existing file names by their part that does not change with the title. */
async function filesByChat(folder: string, extension: string): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for await (const entry of await opendir(folder)) {
    const { name } = entry;
    if (!name.endsWith(`.${extension}`) || !entry.isFile()) continue;
    const title = name.lastIndexOf('.', name.length - extension.length - 2);
    const key = name.slice(title + 1);
    found.set(key, [...(found.get(key) ?? []), name]);
  }
  return found;
}

/** Microseconds since 1970: the milliseconds are the time, the rest counts the changes of the chat. */
function changeMicroseconds({ updatedAt, version }: Chat): number {
  return updatedAt * 1000 + (version % 1000);
}

/** In seconds, for utimes, which truncates below a microsecond. */
function changeTime(chat: Chat): number {
  return (changeMicroseconds(chat) + 0.5) / 1e6;
}

async function isAsOf(path: string, chat: Chat): Promise<boolean> {
  const found = await stat(path, { bigint: true }).catch(() => null);
  return found !== null && Number(found.mtimeNs / 1000n) === changeMicroseconds(chat);
}

export function exportToZip(request: ExportRequest, report: ExportReport, path: string): Promise<void> {
  return whole(path, (part) => pipeline(zippedExport(request, report), createWriteStream(part)));
}

/**
 * The bytes of a zip with one file, or one for each chat where the format has that. The stream fails with the error of
 * the export; destroying it ends the export.
 */
export function zippedExport(request: ExportRequest, report: ExportReport): Readable {
  const zip = new ZipFile();
  const out = zip.outputStream as Readable;
  // The same error rejects fillZip.
  zip.on('error', () => {});
  fillZip(zip, out, request, report).catch((error: unknown) => out.destroy(error as Error));
  return out;
}

async function fillZip(zip: ZipFile, out: Readable, request: ExportRequest, report: ExportReport): Promise<void> {
  const { writer } = request;
  /** Sequential, so that one chat is in memory at a time. */
  const addStream = async (stream: Readable, name: string, options: Parameters<ZipFile['addReadStream']>[2] = {}) => {
    const end = () => stream.destroy();
    out.once('close', end);
    if (out.destroyed) end();
    zip.addReadStream(stream, name, options);
    await finished(stream).finally(() => out.off('close', end));
  };
  const add = (text: AsyncGenerator<string>, name: string) =>
    addStream(Readable.from(inPieces(text), { objectMode: false }), name);
  if (writer.fileName !== null && writer.isBareAlone !== true) await add(exportChats(request, report), writer.fileName);
  else {
    for await (const chat of askedChats(request)) {
      await add(exportOne(request, chat, report), chatFileName(chat.chat, writer.extension));
    }
  }
  for await (const { id, size, mediaType: fileComment, content } of filesToExport(request, report.files)) {
    await addStream(content, `files/${id}`, { size, fileComment, compress: false });
  }
  zip.end();
}

async function whole(path: string, write: (part: string) => Promise<void>): Promise<void> {
  const found = await stat(path).catch(() => null);
  // A pipe or a device is written to, not replaced.
  const isPlain = found === null || found.isFile();
  const part = isPlain ? `${path}${PART}` : path;
  try {
    await write(part);
    if (isPlain) await rename(part, path);
  } catch (error) {
    if (isPlain) await rm(part, { force: true }).catch(() => {});
    throw writeFailure(error, path);
  }
}
