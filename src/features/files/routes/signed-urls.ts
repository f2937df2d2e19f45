/**
 * URLs of files with a signature instead of a token, for `<img>` and other elements that send no headers. A signature
 * names the viewer: rights are checked with each request, as with a token.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Session } from '../../../auth/session.js';
import type { FileInMessage } from '../../../conversation/files/file-records.js';
import { mayAccess, type ChatAccess } from '../../../conversation/access/ownership.js';
import type { Viewer } from '../../../conversation/model.js';

/** Seconds that a URL is valid: at least this time unless its session ends, at most twice as long. */
export const SIGNED_FOR_SECONDS = 3_600;

export interface SignedUrl {
  /** A path of this server. */
  url: string;
  /** In milliseconds since 1970. */
  expiresAt: number;
}

/** Whether a viewer reads a chat only by the rights of admins. */
export function needsAdmin(viewer: Viewer, chat: ChatAccess): boolean {
  return viewer.isAdmin && !mayAccess({ ...viewer, isAdmin: false }, chat);
}

export class UrlSigner {
  readonly #secret: Buffer;

  /** @param secret shared by the servers of a database; a random one by default */
  constructor(secret?: string) {
    this.#secret = secret === undefined ? randomBytes(32) : Buffer.from(secret);
  }

  /**
   * Equal calls within an hour return equal URLs, so that browsers find the file in their cache. A URL that needs admin
   * rights ends with the session: no later check can find out whether the admin still is one.
   * @param chat of the message, which the viewer may read
   */
  sign(
    { fileId, messageId }: FileInMessage,
    chat: ChatAccess,
    { viewer, expiresAt }: Pick<Session, 'viewer' | 'expiresAt'>,
    now = Date.now(),
  ): SignedUrl {
    const { userId, accessToken } = viewer;
    const isOfAdmin = needsAdmin(viewer, chat);
    const hour = (Math.floor(now / 1000 / SIGNED_FOR_SECONDS) + 2) * SIGNED_FOR_SECONDS;
    const expires = isOfAdmin && expiresAt !== null ? Math.min(hour, Math.floor(expiresAt / 1000)) : hour;
    const parameters = {
      message: messageId,
      user: userId,
      ...(isOfAdmin && { admin: 'true' }),
      ...(accessToken !== undefined && { token: accessToken.id }),
      expires: String(expires),
    };
    const signature = this.#signature(fileId, parameters);
    const query = new URLSearchParams({ ...parameters, signature });
    return { url: `/files/${fileId}?${query.toString()}`, expiresAt: expires * 1000 };
  }

  /** @returns the viewer that a URL was signed for; null when its signature is wrong or has expired */
  viewerOf(fileId: string, parameters: Readonly<Record<string, string | undefined>>, now = Date.now()): Viewer | null {
    const { message, user, admin, token, expires, signature } = parameters;
    if (message === undefined || user === undefined || expires === undefined || signature === undefined) return null;
    const signed = {
      message,
      user,
      ...(admin !== undefined && { admin }),
      ...(token !== undefined && { token }),
      expires,
    };
    const expected = Buffer.from(this.#signature(fileId, signed));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
    if (Number(expires) * 1000 < now) return null;
    // Whether the token still exists is checked with each request. Its chat was checked before the signature.
    const accessToken = token === undefined ? undefined : { id: token, scope: 'READ' as const, chatId: null };
    return { userId: user, isAdmin: admin === 'true', ...(accessToken && { accessToken }) };
  }

  #signature(fileId: string, parameters: Readonly<Record<string, string>>): string {
    // Earlier versions signed members as admins, as `file`: those URLs are invalid.
    const kind = 'admin' in parameters ? 'file of admin' : 'file';
    // JSON separates the values: none can continue in the next.
    const signed = JSON.stringify([kind, fileId, Object.entries(parameters).sort()]);
    return createHmac('sha256', this.#secret).update(signed).digest('base64url');
  }
}
