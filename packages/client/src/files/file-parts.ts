/** The file parts of UIMessages: messages contain references, pages show URLs and attach files of their own. */
import { isUnreachable } from '@parley/transport/errors';
import type { RetryDelay } from '@parley/transport/pause';
import { isSame } from '../store/same.js';
import { referencedFileId } from './file-reference.js';
import { EXPIRY_MARGIN_MS, type SignedUrls } from './signed-urls.js';
import type { UploadedFile, UploadOptions } from './upload-file.js';

/** A file part of a UIMessage. */
export interface FilePart {
  type: 'file';
  mediaType: string;
  filename?: string;
  url: string;
}

/** The members of a UIMessage that file parts depend on. */
export interface MessageWithParts {
  id: string;
  parts: readonly { type: string }[];
}

export interface StoreFilesOptions {
  /** Called with the bytes that were sent, and the size of all files of the call. */
  onProgress?: UploadOptions['onProgress'] | undefined;
  /** Ends the upload. */
  signal?: AbortSignal | undefined;
  /**
   * Whether the chat contains the last message, too: its data URLs stay, as those of the messages before it.
   * @default false
   */
  isSaved?: boolean | undefined;
}

/** Shown instead of a file whose URL is not known yet, and of one that the viewer may not read. */
const NO_URL = 'data:,';
/** The server stores shorter data URLs in the message. */
const MAX_DATA_URL_LENGTH = 8 * 1024;
/** Files of this page that are shown without a request. */
const MAX_LOCAL_FILES = 500;

export class FileParts {
  readonly #listeners = new Set<() => void>();
  readonly #shown = new WeakMap<object, { urls: readonly string[]; message: unknown }>();
  readonly #lists = new WeakMap<object, readonly unknown[]>();
  /** The files of this page by their object URLs. */
  readonly #local = new Map<string, Blob>();
  /** Object URLs by the references of their files. */
  readonly #localOf = new Map<string, string>();
  /** By part: a retry uploads nothing again. */
  readonly #uploads = new WeakMap<object, UploadedFile>();
  #requested = new WeakSet();
  #wanted: { file: string; messageId: string }[] = [];
  #version = 0;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #renewAt = Infinity;

  constructor(
    private readonly signed: SignedUrls,
    private readonly upload: (file: Blob, options: UploadOptions) => Promise<UploadedFile>,
    private readonly delay: RetryDelay,
    /** The address of a file's route, up to its id. */
    private readonly route: () => string,
  ) {}

  subscribe = (listener: () => void): (() => void) => {
    const own = () => listener();
    this.#listeners.add(own);
    this.#request();
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size > 0) return;
      clearTimeout(this.#timer);
      this.#renewAt = Infinity;
      this.#requested = new WeakSet();
    };
  };

  getVersion = (): number => this.#version;

  attach = (files: ArrayLike<Blob> = []): FilePart[] =>
    Array.from(files, (file) => {
      const { name } = file as Partial<File>;
      const mediaType = file.type === '' ? 'application/octet-stream' : file.type;
      return { type: 'file', mediaType, ...(name !== undefined && { filename: name }), url: this.#keep(file) };
    });

  show = <Message extends MessageWithParts>(messages: Message[]): Message[] => {
    const shown = messages.map((message) => this.#show(message));
    const before = this.#lists.get(messages) ?? messages;
    if (shown.every((message, n) => message === before[n])) return before as Message[];
    this.#lists.set(messages, shown);
    return shown;
  };

  storeFiles = async <Message extends MessageWithParts>(
    messages: Message[],
    { onProgress, signal, isSaved = false }: StoreFilesOptions = {},
  ): Promise<Message[]> => {
    // Data URLs of saved messages stay: stored messages never change.
    const unsaved = isSaved ? undefined : messages.at(-1);
    const files = new Map(
      messages.flatMap((message) =>
        message.parts.filter(isFilePart).map((part) => [part, this.#fileOf(part, message === unsaved)] as const),
      ),
    );
    const sizes = [...files.values()].map((file) => (file instanceof Blob ? file.size : 0));
    const of = sizes.reduce((sum, size) => sum + size, 0);
    let sent = 0;
    const stored = new Map<object, FilePart>();
    for (const [part, file] of files) {
      if (!(file instanceof Blob)) stored.set(part, file);
      else {
        const report = onProgress && (({ bytes }: { bytes: number }) => onProgress({ bytes: sent + bytes, of }));
        const uploaded = await this.upload(file, {
          ...(part.filename !== undefined && { name: part.filename }),
          ...(report && { onProgress: report }),
          ...(signal && { signal }),
        });
        sent += file.size;
        this.#uploads.set(part, uploaded);
        if (!this.#localOf.has(uploaded.reference)) {
          this.#localOf.set(uploaded.reference, this.#local.has(part.url) ? part.url : this.#keep(file));
        }
        stored.set(part, storedPart(part, uploaded));
      }
    }
    return messages.map((message) => withParts(message, (part) => stored.get(part) ?? part));
  };

  #show<Message extends MessageWithParts>(message: Message): Message {
    const urls: string[] = [];
    const parts = new Map<object, FilePart>();
    for (const part of message.parts) {
      if (!isFilePart(part) || referencedFileId(part.url) === null) continue;
      const url = this.#urlOf(part, message.id);
      urls.push(url);
      parts.set(part, { ...part, url });
    }
    if (urls.length === 0) return message;
    const before = this.#shown.get(message);
    if (before !== undefined && isSame(before.urls, urls)) return before.message as Message;
    const shown = withParts(message, (part) => parts.get(part) ?? part);
    this.#shown.set(message, { urls, message: shown });
    return shown;
  }

  #urlOf(part: FilePart, messageId: string): string {
    const { url: file } = part;
    const local = this.#localOf.get(file);
    if (local !== undefined) return local;
    const kept = this.signed.kept({ file, messageId });
    const isCurrent = kept !== undefined && kept.expiresAt - Date.now() > EXPIRY_MARGIN_MS;
    if (!isCurrent && !this.#requested.has(part)) {
      this.#requested.add(part);
      this.#wanted.push({ file, messageId });
      queueMicrotask(() => this.#request());
    }
    return kept?.url ?? NO_URL;
  }

  /** Without a listener nothing is requested: a server renders without URLs. */
  #request(): void {
    if (this.#listeners.size === 0 || this.#wanted.length === 0) return;
    const wanted = this.#wanted;
    this.#wanted = [];
    Promise.all(wanted.map((file) => this.signed.of(file))).then(
      (urls) => {
        this.#failures = 0;
        for (const url of urls) this.#renewIn((url?.expiresAt ?? Infinity) - Date.now() - EXPIRY_MARGIN_MS);
        this.#changed();
      },
      (reason: unknown) => {
        if (isUnreachable(reason)) this.#renewIn(this.delay(++this.#failures));
      },
    );
  }

  #renewIn(ms: number): void {
    const at = Date.now() + ms;
    if (this.#listeners.size === 0 || at >= this.#renewAt) return;
    clearTimeout(this.#timer);
    this.#renewAt = at;
    this.#timer = setTimeout(() => {
      this.#renewAt = Infinity;
      this.#requested = new WeakSet();
      this.#changed();
    }, ms);
  }

  #changed(): void {
    this.#version++;
    for (const notify of [...this.#listeners]) notify();
  }

  /** The file to upload, or the part as it is stored. */
  #fileOf(part: FilePart, isUnsaved: boolean): Blob | FilePart {
    const { url } = part;
    const uploaded = this.#uploads.get(part);
    if (uploaded !== undefined) return storedPart(part, uploaded);
    const local = this.#local.get(url);
    if (local !== undefined) return local;
    if (isUnsaved && url.startsWith('blob:'))
      throw new Error(`The file "${part.filename ?? url}" is no longer in this page`);
    const shown = url.startsWith(this.route()) ? url.slice(this.route().length).replace(/\?.*/, '') : '';
    if (/^[0-9a-f]{64}$/.test(shown)) return { ...part, url: `parley:file:${shown}` };
    return (isUnsaved && url.length > MAX_DATA_URL_LENGTH && blobOf(url)) || part;
  }

  #keep(file: Blob): string {
    const url = URL.createObjectURL(file);
    this.#local.set(url, file);
    const [oldest] = this.#local.keys();
    if (this.#local.size > MAX_LOCAL_FILES && oldest !== undefined) {
      URL.revokeObjectURL(oldest);
      this.#local.delete(oldest);
      for (const [reference, local] of this.#localOf) if (local === oldest) this.#localOf.delete(reference);
    }
    return url;
  }
}

const isFilePart = (part: { type: string }): part is FilePart =>
  part.type === 'file' && typeof (part as Partial<FilePart>).url === 'string';

function withParts<Message extends MessageWithParts>(message: Message, change: (part: object) => object): Message {
  const parts = message.parts.map(change);
  return isSame<object>(message.parts, parts) ? message : { ...message, parts };
}

/** The server detects the type from the content, which is `text/plain` for every text. */
function storedPart(part: FilePart, { mediaType, reference }: UploadedFile): FilePart {
  const isText = mediaType === 'text/plain' && !/^(image|audio|video)\//.test(part.mediaType);
  return { ...part, mediaType: isText ? part.mediaType : mediaType, url: reference };
}

/** The content of a data URL in base64; undefined for another URL. */
function blobOf(url: string): Blob | undefined {
  const [, type = '', base64] = /^data:([^;,]*)(?:;[^;,]*)*;base64,([A-Za-z0-9+/]+={0,2})$/.exec(url) ?? [];
  if (base64 === undefined) return undefined;
  return new Blob([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))], { type });
}
