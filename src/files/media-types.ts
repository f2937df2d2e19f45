/** The media type of a content, as its bytes show it. Nothing is decoded, apart from bounded parts of containers. */
import { open } from 'node:fs/promises';

/** Loaded with the first file: it takes as long as many other modules together. */
const fileType = () => import('file-type');

/** Bytes of a text that are looked at. */
const TEXT_SAMPLE_BYTES = 64 * 1024;

const UNKNOWN = 'application/octet-stream';

/** Formats inside which others are written: a declared type may be more precise. */
const CONTAINERS: Readonly<Record<string, RegExp>> = {
  'application/zip': /^application\/(vnd\..+|x-.+|epub\+zip|java-archive)$/,
  'application/x-cfb': /^application\/(vnd\..+|x-.+|msword)$/,
  'application/gzip': /^application\/(vnd\..+|x-.+)$/,
  'application/xml': /^(text\/.+|application\/.+\+xml)$/,
  'application/ogg': /^(audio|video)\//,
};

/** Types with signatures of two or three letters, with which a text may begin, too. */
const WEAK_SIGNATURES = new Set(['image/bmp', 'application/x-msdownload', 'application/x-compress', 'audio/mpeg']);

/** A text that begins as an SVG image: with comments and declarations before its root. */
const SVG = /^\s*(<\?xml[^>]*>\s*)?(<!--(?:(?!-->)[\s\S])*-->\s*)*(<!DOCTYPE\s+svg[^>]*>\s*)?<svg[\s>]/i;

const ALIASES: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/x-png': 'image/png',
  'image/vnd.microsoft.icon': 'image/x-icon',
  'audio/mp3': 'audio/mpeg',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/x-m4a': 'audio/mp4',
  'audio/m4a': 'audio/mp4',
  'application/x-zip-compressed': 'application/zip',
  'application/x-gzip': 'application/gzip',
  'video/matroska': 'video/x-matroska',
};

export class MediaTypeError extends Error {}

/** @returns the type without parameters, in lower case; null when it is not a media type */
export function mediaTypeOf(text: string): string | null {
  const type = text.split(';')[0]?.trim().toLowerCase() ?? '';
  return type.length <= 255 && /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/.test(type) ? type : null;
}

/**
 * The media type of the file at a path. It depends on the content alone, since users with equal content share it: any
 * text but SVG is text/plain.
 * @param declared by the client; null when unknown
 * @throws MediaTypeError when the content contradicts the declared type
 */
export async function checkedMediaType(path: string, declared: string | null): Promise<string> {
  const type = await typeOfContent(path);
  if (declared !== null && declared !== UNKNOWN && !(await agree(type, declared))) {
    throw new MediaTypeError(`The content is ${type}, not ${declared}`);
  }
  return type;
}

/** The same; a declared type that the content contradicts is ignored. */
export async function mediaTypeAt(path: string, declared: string | null): Promise<string> {
  return checkedMediaType(path, declared).catch((error: unknown) => {
    if (error instanceof MediaTypeError) return checkedMediaType(path, null);
    throw error;
  });
}

async function agree(type: string, declared: string): Promise<boolean> {
  const [found, given] = [normal(type), normal(declared)];
  if (found === given || CONTAINERS[found]?.test(given) === true) return true;
  if (isSound(found) && isSound(given)) return found.split('/')[1] === given.split('/')[1];
  // Types with a signature would have been recognised.
  const { supportedMimeTypes } = await fileType();
  if (supportedMimeTypes.has(given)) return false;
  if (found === UNKNOWN) return !isTextual(given);
  return (found === 'text/plain' || found === 'image/svg+xml') && !/^(image|audio|video|font)\//.test(given);
}

async function typeOfContent(path: string): Promise<string> {
  const text = await textAt(path);
  const found = await signatureAt(path);
  if (text !== null && (found === null || found === 'application/xml') && SVG.test(text)) return 'image/svg+xml';
  if (found !== null && !(text !== null && WEAK_SIGNATURES.has(found))) return found;
  return text === null ? UNKNOWN : 'text/plain';
}

async function signatureAt(path: string): Promise<string | null> {
  const { fileTypeFromFile } = await fileType();
  try {
    const found = await fileTypeFromFile(path);
    return found?.mime.split(';')[0] ?? null;
  } catch {
    // A broken container: its type remains unknown.
    return null;
  }
}

const normal = (type: string) => ALIASES[type] ?? type;
const isTextual = (type: string) => type.startsWith('text/') || /^application\/(json|xml)$|\+(json|xml)$/.test(type);
const isSound = (type: string) => /^(audio|video)\//.test(type);

/** The beginning of a file of UTF-8 without zero bytes; null for another content. */
async function textAt(path: string): Promise<string | null> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(TEXT_SAMPLE_BYTES), 0, TEXT_SAMPLE_BYTES, 0);
    const bytes = buffer.subarray(0, bytesRead);
    if (bytes.includes(0)) return null;
    // Streaming: the sample may end within a character.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  } finally {
    await file.close();
  }
}
