/** Signed URLs of files: those of one rendering are requested together, and kept until shortly before they expire. */
import type { OpenRoute } from '@parley/transport/chat-files';
import { absoluteUrl } from '../transfer/open-route.js';
import { fileIdOf, type FileOfMessage } from './file-reference.js';

/** The server's limit of a request. */
const MAX_FILES_PER_REQUEST = 100;
const MAX_KEPT_URLS = 10_000;
/** Milliseconds before the end of a URL from which another is requested. */
export const EXPIRY_MARGIN_MS = 10 * 60_000;

export interface SignedUrl {
  /** For `<img>` and other elements, without a token. */
  url: string;
  /** In milliseconds since 1970. */
  expiresAt: number;
}

interface Waiting extends FileOfMessage {
  resolve: (url: SignedUrl | null) => void;
  reject: (reason: unknown) => void;
}

export class SignedUrls {
  readonly #kept = new Map<string, SignedUrl>();
  #waiting: Waiting[] = [];

  constructor(
    private readonly url: string,
    private readonly open: OpenRoute,
  ) {}

  /** @returns in the same order; null for a file that the viewer may not read */
  async sign(files: readonly FileOfMessage[], signal?: AbortSignal): Promise<(SignedUrl | null)[]> {
    const asked = files.map(({ file, messageId }) => ({ fileId: fileIdOf(file), messageId }));
    const signed: (SignedUrl | null)[] = [];
    for (let from = 0; from < asked.length; from += MAX_FILES_PER_REQUEST) {
      const body = JSON.stringify({ files: asked.slice(from, from + MAX_FILES_PER_REQUEST) });
      const headers = { 'content-type': 'application/json' };
      const request = { method: 'POST', headers, body, ...(signal && { signal }) };
      const response = await this.open('files/links', {}, request);
      const { links } = (await response.json()) as { links: { url: string | null; expiresAt: number }[] };
      for (const { url, expiresAt } of links) {
        // The server may have a prefix before its routes.
        signed.push(url === null ? null : { url: new URL(url.slice(1), absoluteUrl(this.url)).href, expiresAt });
      }
    }
    return signed;
  }

  /** The last URL of a file until it expires. */
  kept(file: FileOfMessage): SignedUrl | undefined {
    const kept = this.#kept.get(keyOf(file));
    return kept !== undefined && kept.expiresAt > Date.now() ? kept : undefined;
  }

  /** Calls of one task share a request. */
  of(file: FileOfMessage): Promise<SignedUrl | null> {
    const key = keyOf(file);
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.expiresAt - Date.now() > EXPIRY_MARGIN_MS) return Promise.resolve(kept);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...file, resolve, reject });
      if (this.#waiting.length === 1) queueMicrotask(() => void this.#signWaiting());
    });
  }

  async #signWaiting(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      const signed = await this.sign(waiting);
      for (const [n, each] of waiting.entries()) {
        const url = signed[n] ?? null;
        if (url !== null) this.#keep(keyOf(each), url);
        each.resolve(url);
      }
    } catch (reason) {
      for (const { reject } of waiting) reject(reason);
    }
  }

  #keep(key: string, url: SignedUrl): void {
    this.#kept.delete(key);
    this.#kept.set(key, url);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT_URLS && oldest !== undefined) this.#kept.delete(oldest);
  }
}

const keyOf = ({ file, messageId }: FileOfMessage) => JSON.stringify([fileIdOf(file), messageId]);
