/** Where an export goes: a file, a folder, a zip or a stream. What is not complete never has its final name. */
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { chatFileName } from './chat-file.js';
import { askedChats, exportChats, exportOne, type ExportReport, type ExportRequest } from './export-chats.js';
import { inPieces } from './pieces.js';

/** To somebody else's stream, which stays open. */
export function exportToStream(request: ExportRequest, report: ExportReport, out: Writable): Promise<void> {
  return pipeline(inPieces(exportChats(request, report)), out, { end: false });
}

export function exportToFile(request: ExportRequest, report: ExportReport, path: string): Promise<void> {
  return whole(path, (part) => pipeline(inPieces(exportChats(request, report)), createWriteStream(part)));
}

/** A file for each chat. One that is there, of the time of its chat's newest change, is left: an export that was cut off goes on. */
export async function exportToFolder(request: ExportRequest, report: ExportReport, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const { archive, writer } = request;
  for await (const asked of askedChats(request)) {
    const chat = await archive.read(asked.id);
    if (chat === null) continue;
    const path = join(folder, chatFileName(chat.chat, writer.extension));
    const changed = new Date(chat.chat.updatedAt);
    const there = await stat(path).catch(() => null);
    if (there !== null && Math.abs(there.mtimeMs - chat.chat.updatedAt) < 1) {
      report.pass();
      continue;
    }
    await whole(path, async (part) => {
      await pipeline(inPieces(exportOne(request, chat, report)), createWriteStream(part));
      await utimes(part, changed, changed);
    });
  }
}

export function exportToZip(request: ExportRequest, report: ExportReport, path: string): Promise<void> {
  return whole(path, async (part) => {
    const zip = new ZipFile();
    const written = pipeline(zip.outputStream, createWriteStream(part));
    try {
      await Promise.race([fillZip(zip, request, report), written]);
    } catch (error) {
      (zip.outputStream as Readable).destroy(error as Error);
      await written.catch(() => {});
      throw error;
    }
    await written;
  });
}

async function fillZip(zip: ZipFile, request: ExportRequest, report: ExportReport): Promise<void> {
  const { archive, writer } = request;
  /** One after the other, so that only one is in memory. */
  const add = (text: AsyncGenerator<string>, name: string) =>
    new Promise<void>((resolve, reject) => {
      const stream = Readable.from(inPieces(text), { objectMode: false });
      stream.once('end', resolve).once('error', reject);
      zip.addReadStream(stream, name);
    });
  if (writer.fileName !== null) await add(exportChats(request, report), writer.fileName);
  else {
    for await (const { id } of askedChats(request)) {
      const chat = await archive.read(id);
      if (chat !== null) await add(exportOne(request, chat, report), chatFileName(chat.chat, writer.extension));
    }
  }
  zip.end();
}

async function whole(path: string, write: (part: string) => Promise<void>): Promise<void> {
  const part = `${path}.part`;
  try {
    await write(part);
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
