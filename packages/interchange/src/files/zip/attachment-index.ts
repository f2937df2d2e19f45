/** The files in a zip that messages refer to: images, sound and attachments. */
import { closeSync, openSync } from 'node:fs';
import { basename } from 'node:path/posix';
import { MAX_NAME_LENGTH } from '../../limits.js';
import { makeStorable } from '../json/storable-text.js';
import { UnreadableError } from '../../file-values.js';
import { entryChunks, entryContent, type ZippedContent } from './zipped-content.js';

/** The start of file ids, in pointers (`sediment://file_0123`) and in names (`file_0123-photo.png`). */
const NAME = /^file[-_][A-Za-z0-9]+/;
/** Gemini's attachments are referred to by name, and are next to the activities in Takeout's zip. */
const ACTIVITY_ATTACHMENT = /gemini[^/]*\/[^/]+\.(?!json$|html?$)\w{2,5}$/i;
const POINTER = /(?:^|:\/\/|#)(file[-_][A-Za-z0-9]+)(?![^#])/;
/** Attachments in Grok's zip: each in a folder named by its id. */
const ASSET = /(?:^|\/)prod-mc-asset-server\/+([^/]+)\/content$/;
/** Attachments in Mistral's zip: in a folder named by the chat. */
const CHAT_FILE = /(?:^|\/)(chat-[\w-]+-files\/[^/]+)$/;
/** Contents in Parley's zip, by their SHA-256. */
const CONTENT = /(?:^|\/)files\/([0-9a-f]{64})$/;
/** Files of Claude, LibreChat and Open WebUI: the name contains the id, such as `<uuid>__photo.png`. */
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;
/** The folders in which LibreChat and Open WebUI keep files, also those with text. */
const UPLOADS = /(?:^|\/)(?:uploads|images)\//;
/** Conversations, whose names can be UUIDs. */
const CONVERSATION = /\.(?:jsonl?|ndjson|html?)$/i;
/** Original names of the files that ChatGPT calls file_0123.dat: {"file_0123.dat": "photo.png"}. */
const NAMES = /(?:^|\/)conversation_asset_file_names\.json$/;
const MAX_NAMES_BYTES = 8 * 1024 * 1024;
/** Files in memory, at some 200 bytes each. */
const MAX_FILES = 100_000;

/** Images hardly shrink when packed, and are rarely in more than a few messages. */
export const MAX_GROWTH = 30;
/** Bytes that are always accepted. */
const ALWAYS_ALLOWED_BYTES = 64 * 1024 * 1024;

/** The used members of a zip's entry: this package's declarations must not need yauzl's. */
export interface PackedEntry {
  readonly fileName: string;
  readonly fileComment: string;
  readonly relativeOffsetOfLocalHeader: number;
  readonly compressedSize: number;
  readonly uncompressedSize: number;
  readonly crc32: number;
  readonly compressionMethod: number;
  canDecodeFileData(): boolean;
}

export interface Attachment {
  /** The comment of its entry: in Parley's zips, the media type. */
  readonly comment: string;
  /** The original name without its folder, if the zip has it. */
  readonly name: string;
  /** Bytes according to the directory; a longer file cannot be read. */
  readonly size: number;
  /**
   * Counts the bytes for one use in a message.
   * @returns false when all uses exceed the limit of the zip
   */
  reserve(): boolean;
  /** @throws UnreadableError when the file is damaged, encrypted, or of another length */
  read(): Buffer;
  /** The same, for a file of any size. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Where the file is stored already; null: nowhere. */
  readonly stored: StoredAttachment | null;
  /** Notes where it is stored, for all messages that refer to it. */
  store(stored: StoredAttachment): void;
}

/** A file that an import has stored outside of its messages. */
export interface StoredAttachment {
  url: string;
  mediaType: string;
}

export class AttachmentIndex {
  readonly #found = new Map<string, ZippedContent>();
  #namesAt: ZippedContent | null = null;
  #names: ReadonlyMap<string, string> | null = null;
  #file: number | null = null;

  #bytesReserved = 0;
  readonly #stored = new Map<ZippedContent, StoredAttachment>();

  /** @param zipSize bytes */
  constructor(
    private readonly path: string,
    private readonly zipSize: number,
  ) {}

  get isEmpty(): boolean {
    return this.#found.size === 0;
  }

  /**
   * Adds an entry if messages can refer to it. The first of two with the same id is kept.
   * @returns whether it can only be an attachment
   */
  add(entry: PackedEntry): boolean {
    const name = basename(entry.fileName);
    const asset = ASSET.exec(entry.fileName)?.[1];
    const chatFile = CHAT_FILE.exec(entry.fileName)?.[1] ?? CONTENT.exec(entry.fileName)?.[1];
    const activity = ACTIVITY_ATTACHMENT.test(entry.fileName) ? name : undefined;
    const uuid = uuidIn(name);
    const isUpload = uuid !== undefined && UPLOADS.test(entry.fileName);
    const other = isUpload || !CONVERSATION.test(name) ? uuid : undefined;
    const id = asset ?? chatFile ?? NAME.exec(name)?.[0] ?? activity ?? other;
    if (NAMES.test(entry.fileName)) this.#namesAt = contentOf(entry, name);
    if (id !== undefined && !this.#found.has(id) && this.#found.size < MAX_FILES) {
      this.#found.set(id, contentOf(entry, asset ?? name));
    }
    return asset !== undefined || chatFile !== undefined || isUpload;
  }

  /**
   * @param pointer the id, alone or in an address such as `file-service://file-1`, `sediment://a#file_1#p_0.png` or
   * `/api/v1/files/<uuid>/content`
   */
  find(pointer: string): Attachment | null {
    const id = POINTER.exec(pointer)?.[1] ?? pointer;
    const found = this.#found.get(id) ?? this.#found.get(uuidIn(pointer) ?? id);
    if (found === undefined) return null;
    const name = makeStorable(this.#nameOf(found.name).slice(0, MAX_NAME_LENGTH)).value as string;
    return {
      name,
      comment: found.comment,
      size: found.size,
      reserve: () => this.#reserve(found.size),
      read: () => this.#read(found),
      chunks: () => entryChunks(this.path, this.#opened(), found),
      stored: this.#stored.get(found) ?? null,
      store: (stored) => void this.#stored.set(found, stored),
    };
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  /** Any number of messages can refer to the same file. */
  #reserve(size: number): boolean {
    const bytes = this.#bytesReserved + size;
    if (bytes > Math.max(ALWAYS_ALLOWED_BYTES, MAX_GROWTH * this.zipSize)) return false;
    this.#bytesReserved = bytes;
    return true;
  }

  #read(content: ZippedContent): Buffer {
    return entryContent(this.#opened(), content);
  }

  #opened(): number {
    return (this.#file ??= openSync(this.path, 'r'));
  }

  #nameOf(name: string): string {
    this.#names ??= this.#readNames();
    return this.#names.get(name) ?? name;
  }

  /** Empty when they cannot be read: files also work under their other names. */
  #readNames(): ReadonlyMap<string, string> {
    const names = new Map<string, string>();
    if (this.#namesAt === null || this.#namesAt.size > MAX_NAMES_BYTES) return names;
    try {
      for (const [file, name] of Object.entries(JSON.parse(this.#read(this.#namesAt).toString()) as object)) {
        if (typeof name === 'string' && name !== '') names.set(basename(file), name);
      }
    } catch (error) {
      if (!(error instanceof UnreadableError || error instanceof SyntaxError || error instanceof TypeError))
        throw error;
    }
    return names;
  }
}

function uuidIn(text: string): string | undefined {
  return UUID.exec(text)?.[0].toLowerCase();
}

function contentOf(entry: PackedEntry, name: string): ZippedContent {
  return {
    name,
    comment: entry.fileComment,
    offset: entry.relativeOffsetOfLocalHeader,
    packedSize: entry.compressedSize,
    size: entry.uncompressedSize,
    checksum: entry.crc32,
    isDeflated: entry.compressionMethod === 8,
    isReadable: entry.canDecodeFileData(),
  };
}
