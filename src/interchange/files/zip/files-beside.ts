/** The files in a zip that messages point to: images, sound, and what people have attached. */
import { closeSync, openSync } from 'node:fs';
import { basename } from 'node:path/posix';
import type { Entry } from 'yauzl';
import { entryContent, type ZippedContent } from './zipped-content.js';

/** How ids of files begin, in pointers (`sediment://file_0123`) and in names (`file_0123-photo.png`). */
const NAME = /^file[-_][A-Za-z0-9]+/;
const POINTER = /(?:^|:\/\/|#)(file[-_][A-Za-z0-9]+)(?![^#])/;
/** Files that are remembered, by some 200 bytes each. */
const MAX_FILES = 100_000;

export interface FileBeside {
  /** Without its folder. */
  readonly name: string;
  /** Bytes, as the zip says: what is longer cannot be read. */
  readonly size: number;
  /** @throws UnreadableError when it is damaged, encrypted, or not as long as the zip says */
  read(): Buffer;
}

export class FilesBeside {
  readonly #found = new Map<string, ZippedContent>();
  #file: number | null = null;

  constructor(private readonly path: string) {}

  get isEmpty(): boolean {
    return this.#found.size === 0;
  }

  /** Takes note of an entry if messages may point to it. Of two with one id it is the first. */
  add(entry: Entry): void {
    const id = NAME.exec(basename(entry.fileName))?.[0];
    if (id === undefined || this.#found.has(id) || this.#found.size === MAX_FILES) return;
    this.#found.set(id, {
      name: basename(entry.fileName),
      offset: entry.relativeOffsetOfLocalHeader,
      packedSize: entry.compressedSize,
      size: entry.uncompressedSize,
      checksum: entry.crc32,
      isDeflated: entry.compressionMethod === 8,
      isReadable: entry.canDecodeFileData(),
    });
  }

  /** @param pointer its id, alone or in an address such as `file-service://file-1` or `sediment://a#file_1#p_0.png` */
  find(pointer: string): FileBeside | null {
    const found = this.#found.get(POINTER.exec(pointer)?.[1] ?? '');
    if (found === undefined) return null;
    const { name, size } = found;
    return { name, size, read: () => entryContent((this.#file ??= openSync(this.path, 'r')), found) };
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }
}
