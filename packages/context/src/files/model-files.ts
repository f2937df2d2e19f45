/** Replaces references to files in UIMessages by data or URLs that a model can read. */
import { ContextError, invalid } from '../errors.js';
import { toUIMessages } from '../messages/decoded-path.js';
import type { UIMessage } from '../messages/ui-message.js';
import type { FileOfMessage } from '../file-data.js';
import { OCTETS, withFilePlaces, type FilePlace } from './file-places.js';
import type { ContextStore } from '../store/context-store.js';
import { checkCount } from '../counts.js';
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
  /**
   * Names of tools whose outputs have files in this form, because their `toModelOutput` returns content parts. In outputs of
   * other tools, which models read as JSON, a file is a text with its name, type and size.
   * @default none; in createAnswerHandler, its tools with `toModelOutput`
   */
  tools?: readonly string[] | undefined;
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
   * store that reads no files. `tool`: in the output of a tool that `tools` does not name.
   */
  reason: 'budget' | 'unavailable' | 'tool';
}

type SavedFilePlace = FilePlace & FileOfMessage;

/** @throws ContextError that names a wrong option */
export function checkFilesOptions(given: ModelFilesOptions = {}): ModelFilesOptions {
  const {
    as = 'data',
    maxBytes = DEFAULT_MAX_BYTES,
    tools = [],
  } = checkKnown(given, ['as', 'maxBytes', 'tools', 'onOmitted'], 'files');
  if (!['data', 'url', 'reference'].includes(as))
    throw invalid("files.as must be 'data', 'url' or 'reference'", 'files.as');
  checkCount(maxBytes, 'files.maxBytes', 0, HIGHEST_MAX_BYTES);
  if (!Array.isArray(tools)) throw invalid('files.tools must be a list of names', 'files.tools');
  return given;
}

/**
 * The messages of a model call, in which files have data or URLs. A file is read only through the saved message that
 * contains it.
 * @param path saved messages, root first
 * @param waiting unsaved messages, already decoded: an id in them proves nothing
 * @throws ContextError of the store
 */
export async function modelMessages<Message extends UIMessage>(
  store: ContextStore,
  { as = 'data', maxBytes = DEFAULT_MAX_BYTES, tools = [], onOmitted }: ModelFilesOptions = {},
  path: readonly { id: string; data: unknown }[],
  waiting: readonly unknown[] = [],
): Promise<Message[]> {
  const placed = [
    ...path.flatMap((row) => toUIMessages<Message>([row]).map((message) => ({ message, savedId: row.id }))),
    ...toUIMessages<Message>([], waiting).map((message) => ({ message, savedId: null })),
  ];
  if (as === 'reference') return placed.map(({ message }) => message);
  const names = new Set(tools);
  const found = placed.map(({ message, savedId }) => withFilePlaces(message, savedId, names));
  const files = found.flatMap(({ places }) => places).reverse();
  const omitted: OmittedFile[] = [];
  const omit = (file: FilePlace, reason: OmittedFile['reason'], size: number | null = null) => {
    const { messageId, fileId, name, mediaType } = file;
    omitted.push({ messageId, fileId, name, mediaType, size, reason });
    file.replace(noticeOf(file, reason, size));
  };
  const saved = files.filter((file): file is SavedFilePlace => file.messageId !== null);
  for (const file of files) if (file.messageId === null) omit(file, 'unavailable');
  for (const file of saved.slice(MAX_FILES_PER_CALL)) omit(file, 'budget');
  const newest = saved.slice(0, MAX_FILES_PER_CALL);
  const withUrls = as === 'url' ? newest.filter(({ isTextOnly }) => !isTextOnly) : [];
  const urls = withUrls.length > 0 ? await store.signFiles(withUrls.map(placeOf)) : [];
  for (const [n, file] of withUrls.entries()) {
    const url = urls[n];
    if (url == null) omit(file, 'unavailable');
    else file.replace({ url });
  }
  let left = maxBytes;
  for (const file of newest.filter(({ isTextOnly }) => isTextOnly || as === 'data')) {
    const read = await orNotSupported(store.readFile(placeOf(file), { maxBytes: file.isTextOnly ? 0 : left }));
    if (read === null) {
      omit(file, 'unavailable');
      continue;
    }
    const mediaType = typeOf(file, read.mediaType);
    if (file.isTextOnly) omit({ ...file, mediaType }, 'tool', read.size);
    else if (read.content === null) omit({ ...file, mediaType }, 'budget', read.size);
    else {
      left -= read.content.length;
      file.replace({ mediaType, url: `data:${mediaType};base64,${base64Of(read.content)}` });
    }
  }
  if (omitted.length > 0) onOmitted?.(omitted);
  return found.map(({ message }) => message);
}

const placeOf = ({ fileId, messageId }: SavedFilePlace): FileOfMessage => ({ fileId, messageId });

/** A part may name a text more precisely than the store, which detects types from contents. */
function typeOf({ mediaType }: FilePlace, detected: string): string {
  return detected === 'text/plain' && /^(text|application)\//.test(mediaType) && mediaType !== OCTETS
    ? mediaType
    : detected;
}

function noticeOf(
  { name, mediaType }: Pick<FilePlace, 'name' | 'mediaType'>,
  reason: OmittedFile['reason'],
  size: number | null,
): string {
  const file = `File ${name === null ? '' : `${JSON.stringify(name)} `}(${mediaType}${size === null ? '' : `, ${size} bytes`})`;
  if (reason === 'tool') return `[${file}]`;
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
