/** The media type of a file: by its first bytes, else from the message, else by its name. */
import { extname } from 'node:path';

const BY_BEGINNING: readonly [beginning: RegExp, type: string][] = [
  [/^\x89PNG\r\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8/, 'image/gif'],
  [/^RIFF[^]{4}WEBP/, 'image/webp'],
  [/^RIFF[^]{4}WAVE/, 'audio/wav'],
  [/^(?:ID3|\xff[\xfb\xf3\xf2])/, 'audio/mpeg'],
  [/^[^]{4}ftypM4A/, 'audio/mp4'],
  [/^[^]{4}ftyp/, 'video/mp4'],
  [/^OggS/, 'audio/ogg'],
  [/^%PDF-/, 'application/pdf'],
];

const UNKNOWN = 'application/octet-stream';
const OFFICE = 'application/vnd.openxmlformats-officedocument';
const BY_NAME: Readonly<Record<string, string>> = {
  '.txt': 'text/plain',
  '.md': 'text/markdown',
  '.csv': 'text/csv',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.docx': `${OFFICE}.wordprocessingml.document`,
  '.xlsx': `${OFFICE}.spreadsheetml.sheet`,
  '.pptx': `${OFFICE}.presentationml.presentation`,
};

/** @param declared the media type in the message; `image/*` and the like are ignored */
export function mediaTypeOf(bytes: Buffer, name: string, declared: unknown): string {
  const start = bytes.subarray(0, 16).toString('latin1');
  const found = BY_BEGINNING.find(([beginning]) => beginning.test(start));
  if (found !== undefined) return found[1];
  if (typeof declared === 'string' && declared !== UNKNOWN && /^[\w.+-]+\/[\w.+-]+$/.test(declared)) return declared;
  return BY_NAME[extname(name).toLowerCase()] ?? UNKNOWN;
}
