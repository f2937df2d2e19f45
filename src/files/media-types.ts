/** The media type of a content, as its bytes show it. Nothing is decoded, apart from bounded parts of containers. */
import { open } from 'node:fs/promises';
import { fileTypeFromFile, supportedMimeTypes } from 'file-type';

/** Bytes of a text that are looked at. */
const TEXT_SAMPLE_BYTES = 64 * 1024;

const DEFAULT_TYPE = 'application/octet-stream';

/** Formats inside which others are written: the declared type is more precise. */
const CONTAINERS: Readonly<Record<string, RegExp>> = {
  'application/zip': /^application\//,
  'application/x-cfb': /^application\//,
  'application/gzip': /^application\//,
  'application/xml': /^(application|text)\/|\+xml$/,
  'application/ogg': /^(audio|video|application)\//,
};

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
 * The media type of the file at a path.
 * @param declared by the client; null when unknown
 * @throws MediaTypeError when the content has another type than declared
 */
export async function checkedMediaType(path: string, declared: string | null): Promise<string> {
  const given = declared === DEFAULT_TYPE ? null : declared;
  const found = await detect(path);
  if (given === null) return found ?? ((await isText(path)) ? 'text/plain' : DEFAULT_TYPE);
  if (found === null) {
    // Types with a signature would have been recognised.
    if (given !== 'image/svg+xml' && supportedMimeTypes.has(normal(given))) {
      throw new MediaTypeError(`The content is not ${given}`);
    }
    if (isTextual(given) && !(await isText(path)))
      throw new MediaTypeError(`The content is not text, hence not ${given}`);
    return given;
  }
  const isSame = normal(found) === normal(given) || (isSound(found) && isSound(given) && isFamily(found, given));
  if (isSame || CONTAINERS[found]?.test(given)) return given;
  throw new MediaTypeError(`The content is ${found}, not ${given}`);
}

async function detect(path: string): Promise<string | null> {
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

/** An audio file in a container of videos, and the reverse: `audio/mp4` and `video/mp4`, `audio/webm` and `video/webm`. */
function isFamily(found: string, given: string): boolean {
  const subtype = (type: string) => normal(type).split('/')[1];
  return subtype(found) === subtype(given);
}

/** Whether the beginning is UTF-8 without control characters that texts lack. */
async function isText(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(TEXT_SAMPLE_BYTES), 0, TEXT_SAMPLE_BYTES, 0);
    const bytes = buffer.subarray(0, bytesRead);
    if (bytes.includes(0)) return false;
    // Streaming: the sample may end within a character.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  } finally {
    await file.close();
  }
}
