/** Replaces references to files in UIMessages by data or URLs that a model can read. */
import { ContextError, invalid } from '../errors.js';
import { toUIMessages } from '../messages/decoded-path.js';
import type { UIMessage, UIMessagePart } from '../messages/ui-message.js';
import { isRecord } from '../record.js';
import type { FileOfMessage } from './file-data.js';
import type { ContextStore } from '../store/context-store.js';
import { checkCount } from '../store/counts.js';
import { checkKnown } from '../store/known-fields.js';

/** Bytes of the contents in one call of a model. */
const DEFAULT_MAX_BYTES = 20 * 1024 * 1024;
const HIGHEST_MAX_BYTES = 256 * 1024 * 1024;
/** Older references become texts, without a request. */
const MAX_FILES_PER_CALL = 100;

export interface ModelFilesOptions {
  /**
   * The form of files: `data` is a data URL, and `url` a signed URL of the server, valid for one to two hours, which only
   * RemoteStore has. `reference` keeps `parley:file:<id>`.
   * @default 'data'
   */
  as?: 'data' | 'url' | 'reference' | undefined;
  /**
   * Bytes of all contents of a call, at most 256 MiB. The newest files are included first; a file that does not fit becomes a
   * text with its name, type and size. URLs have no such limit.
   * @default 20 MiB
   */
  maxBytes?: number | undefined;
  /** Called with the files that became texts, newest first; not called without any. */
  onOmitted?: ((files: OmittedFile[]) => void) | undefined;
}

/** A file that the model does not get. */
export interface OmittedFile {
  /** null for an unsaved message. */
  messageId: string | null;
  fileId: string;
  /** The name in the message. */
  name: string | null;
  mediaType: string;
  /** In bytes; null when the file was not read. */
  size: number | null;
  /**
   * `budget`: beyond `maxBytes`, or beyond the newest 100 files. `unavailable`: missing, of a message that is not saved, or in a
   * store that reads no files.
   */
  reason: 'budget' | 'unavailable';
}

interface FilePart {
  /** null in an unsaved message. */
  messageId: string | null;
  fileId: string;
  part: UIMessagePart;
  name: string | null;
  mediaType: string;
}

type SavedFilePart = FilePart & FileOfMessage;

/** @throws ContextError that names a wrong option */
export function checkFilesOptions(given: ModelFilesOptions = {}): ModelFilesOptions {
  const { as = 'data', maxBytes = DEFAULT_MAX_BYTES } = checkKnown(given, ['as', 'maxBytes', 'onOmitted'], 'files');
  if (!['data', 'url', 'reference'].includes(as))
    throw invalid("files.as must be 'data', 'url' or 'reference'", 'files.as');
  checkCount(maxBytes, 'files.maxBytes', 0, HIGHEST_MAX_BYTES);
  return given;
}

/**
 * The messages of a model call, in which file parts have data or URLs. A file is read only through the saved message that
 * contains it.
 * @param path saved messages, root first
 * @param waiting unsaved messages, already decoded: an id in them proves nothing
 * @throws ContextError of the store
 */
export async function modelMessages<Message extends UIMessage>(
  store: ContextStore,
  { as = 'data', maxBytes = DEFAULT_MAX_BYTES, onOmitted }: ModelFilesOptions = {},
  path: readonly { id: string; data: unknown }[],
  waiting: readonly unknown[] = [],
): Promise<Message[]> {
  const placed = [
    ...path.flatMap((row) => toUIMessages<Message>([row]).map((message) => ({ message, savedId: row.id }))),
    ...toUIMessages<Message>([], waiting).map((message) => ({ message, savedId: null })),
  ];
  const messages = placed.map(({ message }) => message);
  const files = as === 'reference' ? [] : placed.flatMap(filePartsOf).reverse();
  if (files.length === 0) return messages;
  const parts = new Map<UIMessagePart, UIMessagePart>();
  const omitted: OmittedFile[] = [];
  const omit = ({ part, messageId, ...file }: FilePart, reason: OmittedFile['reason'], size: number | null = null) => {
    omitted.push({ ...file, messageId, size, reason });
    parts.set(part, { type: 'text', text: noticeOf(file, reason, size) });
  };
  const saved = files.filter((file): file is SavedFilePart => file.messageId !== null);
  for (const file of files) if (file.messageId === null) omit(file, 'unavailable');
  for (const file of saved.slice(MAX_FILES_PER_CALL)) omit(file, 'budget');
  const newest = saved.slice(0, MAX_FILES_PER_CALL);
  const urls = as === 'url' && newest.length > 0 ? await store.signFiles(newest.map(placeOf)) : [];
  let left = maxBytes;
  for (const [n, file] of newest.entries()) {
    if (as === 'url') {
      const url = urls[n];
      if (url == null) omit(file, 'unavailable');
      else parts.set(file.part, { ...file.part, url });
      continue;
    }
    const read = await orNotSupported(store.readFile(placeOf(file), { maxBytes: left }));
    if (read === null) omit(file, 'unavailable');
    else if (read.content === null) omit({ ...file, mediaType: typeOf(file, read.mediaType) }, 'budget', read.size);
    else {
      left -= read.content.length;
      const mediaType = typeOf(file, read.mediaType);
      parts.set(file.part, { ...file.part, mediaType, url: `data:${mediaType};base64,${base64Of(read.content)}` });
    }
  }
  if (omitted.length > 0) onOmitted?.(omitted);
  return messages.map((message) =>
    hasParts(message) ? { ...message, parts: message.parts.map((part) => parts.get(part) ?? part) } : message,
  );
}

const hasParts = (message: unknown): message is { parts: UIMessagePart[] } =>
  isRecord(message) && Array.isArray(message['parts']);

/** Also of messages without an id, as other clients save them. */
function filePartsOf({ message, savedId: messageId }: { message: unknown; savedId: string | null }): FilePart[] {
  return (hasParts(message) ? message.parts : []).flatMap((part: unknown): FilePart[] => {
    if (!isRecord(part) || part['type'] !== 'file') return [];
    const { url, filename, mediaType } = part;
    const [, fileId] = (typeof url === 'string' && /^parley:file:([0-9a-f]{64})$/.exec(url)) || [];
    if (fileId === undefined) return [];
    const name = typeof filename === 'string' ? filename : null;
    const type = typeof mediaType === 'string' ? mediaType : OCTETS;
    return [{ messageId, fileId, part: part as UIMessagePart, name, mediaType: type }];
  });
}

const OCTETS = 'application/octet-stream';

const placeOf = ({ fileId, messageId }: SavedFilePart): FileOfMessage => ({ fileId, messageId });

/** A part may name a text more precisely than the store, which detects types from contents. */
function typeOf({ mediaType }: FilePart, detected: string): string {
  return detected === 'text/plain' && /^(text|application)\//.test(mediaType) && mediaType !== OCTETS
    ? mediaType
    : detected;
}

function noticeOf(
  { name, mediaType }: Pick<FilePart, 'name' | 'mediaType'>,
  reason: OmittedFile['reason'],
  size: number | null,
): string {
  const file = `File ${name === null ? '' : `${JSON.stringify(name)} `}(${mediaType}${size === null ? '' : `, ${size} bytes`})`;
  return reason === 'budget'
    ? `[${file} is omitted: it exceeds the size of the request]`
    : `[${file} is not available]`;
}

/** null for a store that reads no files. */
async function orNotSupported<T>(work: Promise<T>): Promise<T | null> {
  return work.catch((error: unknown) => {
    if (error instanceof ContextError && error.code === 'NOT_SUPPORTED') return null;
    throw error;
  });
}

function base64Of(bytes: Uint8Array): string {
  let binary = '';
  // The number of arguments of a call is limited.
  for (let n = 0; n < bytes.length; n += 32_768) binary += String.fromCharCode(...bytes.subarray(n, n + 32_768));
  return btoa(binary);
}
