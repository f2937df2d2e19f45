/** Limits the bytes of uploads on disk: arriving and queued ones, and temporary files of running imports. */
import { GraphQLError } from 'graphql';

/** Share of all bytes that one user may have, where users are authenticated. */
export const SPOOL_SHARE_OF_A_USER = 0.5;

export class Spool {
  #bytes = 0;
  readonly #bytesOf = new Map<string, number>();

  /**
   * @param maxBytes of all uploads together
   * @param shareOfAUser from 0 to 1
   */
  constructor(
    private readonly maxBytes: number,
    private readonly shareOfAUser: number,
  ) {}

  /** Begins to count the files of one upload. */
  hold(userId: string): SpooledFiles {
    return new SpooledFiles((change) => this.#add(userId, change));
  }

  #add(userId: string, change: number): void {
    this.#bytes += change;
    const ofUser = (this.#bytesOf.get(userId) ?? 0) + change;
    if (ofUser > 0) this.#bytesOf.set(userId, ofUser);
    else this.#bytesOf.delete(userId);
    if (change <= 0) return;
    if (this.#bytes > this.maxBytes) throw spoolFull('All uploads', this.maxBytes);
    const maxOfAUser = this.maxBytes * this.shareOfAUser;
    if (ofUser > maxOfAUser) throw spoolFull('The uploads of this user', maxOfAUser);
  }
}

export class SpooledFiles {
  #bytes = 0;

  constructor(private readonly add: (change: number) => void) {}

  /**
   * @throws GraphQLError with code OVERLOADED beyond the limit of the user or of all users; the bytes are counted then,
   * too
   */
  setBytes(bytes: number): void {
    const change = bytes - this.#bytes;
    this.#bytes = bytes;
    this.add(change);
  }

  release(): void {
    this.setBytes(0);
  }
}

function spoolFull(owner: string, maxBytes: number): GraphQLError {
  const message = `${owner} have more than ${maxBytes} bytes on the server's disk (IMPORT_SPOOL_BYTES): retry later, or send less at once`;
  return new GraphQLError(message, {
    extensions: { code: 'OVERLOADED', http: { status: 503, headers: { 'retry-after': '30' } } },
  });
}
