/** `@parley/client/files`: uploads files, and reads the files of messages. See docs/files.md of the server. */
import { routeUrl } from '@parley/transport/chat-files';
import { unreachable } from '@parley/transport/errors';
import { growing, type RetryDelay } from '@parley/transport/pause';
import { absoluteUrl, routeOpener, type RouteOptions } from '../transfer/open-route.js';
import { FileParts, type FilePart, type MessageWithParts, type StoreFilesOptions } from './file-parts.js';
import { fileIdOf, referencedFileId, type FileOfMessage } from './file-reference.js';
import { SignedUrls, type SignedUrl } from './signed-urls.js';
import { uploadFile, type UploadedFile, type UploadOptions, type UploadProgress } from './upload-file.js';

export { referencedFileId };
export type {
  FileOfMessage,
  FilePart,
  MessageWithParts,
  SignedUrl,
  StoreFilesOptions,
  UploadedFile,
  UploadOptions,
  UploadProgress,
};

export interface FilesOptions extends RouteOptions {
  /**
   * Returns the delay before the n-th retry of an upload, in milliseconds.
   * @default from 250 up to 30,000
   */
  retryDelay?: RetryDelay;
}

/** A URL of a file in the memory of the page. */
export interface ObjectUrl {
  url: string;
  /** Frees the memory. The URL is invalid afterwards. */
  release(): void;
}

export interface Files {
  /**
   * Stores a file. After a broken connection the upload continues where it broke; a file of more than 128 MiB, or in a page
   * without https, starts over. It fails after 8 attempts in a row without progress.
   * @throws RequestError with the code PAYLOAD_TOO_LARGE and the limit in its message, UNSUPPORTED_MEDIA_TYPE for a content
   *   of another type, HASH_MISMATCH for a file that has changed meanwhile, or BAD_REQUEST; UnauthorizedError,
   *   UnreachableError, and the reason of `signal`
   */
  uploadFile(file: Blob, options?: UploadOptions): Promise<UploadedFile>;
  /**
   * The address of a file. On a server without authentication, elements such as `<img>` can show it.
   * @param file `parley:file:<id>`, or the id alone
   * @param messageId a message that contains it
   * @throws TypeError for any other `file`
   */
  fileUrl(file: string, messageId: string): string;
  /**
   * Reads a file with the token, into memory.
   * @throws RequestError with the code NOT_FOUND for a file that the viewer may not read, UnauthorizedError, UnreachableError
   */
  fetchFile(file: string, messageId: string, options?: { signal?: AbortSignal }): Promise<Blob>;
  /** As `fetchFile`, as a URL of the page. Call `release` when no element shows it. */
  objectUrl(file: string, messageId: string, options?: { signal?: AbortSignal }): Promise<ObjectUrl>;
  /**
   * URLs for elements that send no token, valid for one to two hours. One request contains 100 files.
   * @returns in the order of `files`; null for a file that the viewer may not read
   */
  signedUrls(files: readonly FileOfMessage[], options?: { signal?: AbortSignal }): Promise<(SignedUrl | null)[]>;
  /**
   * A signed URL that is valid for 10 minutes or longer: calls of one rendering share a request, and later calls get the
   * same URL until shortly before it expires.
   */
  signedUrl(file: string, messageId: string): Promise<SignedUrl | null>;
  /** Parts that show files of this page at once, such as a FileList. `storeFiles` uploads them. */
  attach(files: ArrayLike<Blob> | undefined): FilePart[];
  /**
   * Returns UIMessages whose file parts have URLs for elements: signed ones, and object URLs of this page's own files. Until a
   * URL is known, and for a file that the viewer may not read, it is `data:,`. Render again when a listener is called: URLs
   * have then arrived, or replace those that expire.
   * @returns the same objects until a URL changes
   */
  show<Message extends MessageWithParts>(messages: Message[]): Message[];
  /**
   * Uploads the files of `attach`, and data URLs of more than 8 KiB in the last message, one after another, and returns the
   * messages with references. Signed URLs of `show` become references again. A repeated call uploads only missing files.
   * @throws as `uploadFile`, and Error for a file that the page has released
   */
  storeFiles<Message extends MessageWithParts>(messages: Message[], options?: StoreFilesOptions): Promise<Message[]>;
  /** Calls a listener when `show` returns other URLs. URLs are requested while there is one. */
  subscribe(listener: () => void): () => void;
  /** A number that differs after each change of URLs, for `useSyncExternalStore`. */
  getVersion(): number;
}

export function createFiles({ retryDelay = growing, ...options }: FilesOptions): Files {
  const opening = routeOpener(options);
  const signed = new SignedUrls(options.url, opening());
  const parametersOf = (messageId: string) => ({ message: messageId });

  const fetchFile: Files['fetchFile'] = async (file, messageId, { signal } = {}) => {
    const request = signal === undefined ? {} : { signal };
    const response = await opening()(`files/${fileIdOf(file)}`, parametersOf(messageId), request);
    return response.blob().catch((cause: unknown) => {
      throw signal?.aborted === true ? cause : unreachable(cause);
    });
  };
  const upload: Files['uploadFile'] = (file, upload = {}) => uploadFile(opening, retryDelay, file, upload);
  const route = () => routeUrl(absoluteUrl(options.url), 'files/', {}).href;
  const { attach, show, storeFiles, subscribe, getVersion } = new FileParts(signed, upload, retryDelay, route);
  return {
    attach,
    show,
    storeFiles,
    subscribe,
    getVersion,
    uploadFile: upload,
    fileUrl: (file, messageId) =>
      routeUrl(absoluteUrl(options.url), `files/${fileIdOf(file)}`, parametersOf(messageId)).href,
    fetchFile,
    async objectUrl(file, messageId, request) {
      const url = URL.createObjectURL(await fetchFile(file, messageId, request));
      return { url, release: () => URL.revokeObjectURL(url) };
    },
    signedUrls: (files, { signal } = {}) => signed.sign(files, signal),
    signedUrl: async (file, messageId) => signed.of({ file, messageId }),
  };
}
