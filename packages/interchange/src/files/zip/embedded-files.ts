/** Adds files of a zip to the messages that refer to them. */
import type { AttachmentIndex } from './attachment-index.js';
import { UnreadableError } from '../../file-values.js';
import type { MessagePart, NodeContent } from '../../source-conversation.js';
import { extname } from 'node:path';

/** The reason that a file is not in its message. */
export type FileFault = 'missing' | 'large' | 'damaged' | 'tooMuch';

/** Space for the rest of a message: ids, times, a fingerprint. */
const REST_BYTES = 4096;

export interface Embedded {
  parts: readonly MessagePart[];
  /** Pointers that remain, by their addresses. */
  faults: ReadonlyMap<string, FileFault>;
}

/** The parts of a message whose `url` names a file in a zip. */
export function pointersOf({ parts, attached = [] }: NodeContent): MessagePart[] {
  return [...parts.filter(isPointer), ...attached];
}

/**
 * Each file that is stored elsewhere becomes a part with its URL there. Each other one that fits becomes a part with a data: URL; when all together are too large, the first ones.
 * @param reserved whether each use in this message is within the limit of the zip. The first call fills it, so that
 * later calls for the message return the same value.
 * @param maxBytes the size of a message's data as JSON
 */
export function embedFiles(
  { parts, attached = [], original }: NodeContent,
  files: AttachmentIndex,
  reserved: boolean[],
  maxBytes: number,
): Embedded {
  const faults = new Map<string, FileFault>();
  if (attached.length === 0 && !parts.some(isPointer)) return { parts, faults };
  let uses = 0;
  let freeBytes = maxBytes - REST_BYTES - bytesOf({ parts, original }, maxBytes);
  const embedded = (part: MessagePart): MessagePart | null => {
    const url = String(part['url']);
    const file = files.find(url);
    const fault = (why: FileFault) => (faults.set(url, why), null);
    if (file === null) return fault('missing');
    const filename = part['filename'] ?? file.name;
    if (file.stored !== null) return { ...part, filename, ...file.stored };
    // In base64, with the rest of the part.
    const needed = Math.ceil(file.size / 3) * 4 + 2 * file.name.length + 300;
    if (needed > freeBytes) return fault('large');
    if (!(reserved[uses++] ??= file.reserve())) return fault('tooMuch');
    try {
      const bytes = file.read();
      const mediaType = mediaTypeOf(bytes, file.name, part['mediaType']);
      freeBytes -= needed;
      return { ...part, filename, mediaType, url: `data:${mediaType};base64,${bytes.toString('base64')}` };
    } catch (error) {
      if (error instanceof UnreadableError) return fault('damaged');
      throw error;
    }
  };
  const own = parts.map((part) => (isPointer(part) ? (embedded(part) ?? part) : part));
  return { parts: [...own, ...attached.flatMap((part) => embedded(part) ?? [])], faults };
}

function isPointer(part: MessagePart): boolean {
  return part.type === 'file' && /^(?:file-service|sediment):/.test(String(part['url']));
}

/** @param unknown the size of a value that nests too deep to be serialized */
function bytesOf(value: unknown, unknown: number): number {
  try {
    return Buffer.byteLength(JSON.stringify(value));
  } catch {
    return unknown;
  }
}

/** The media type of a file: by its first bytes, else from the message, else by its name. */
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
