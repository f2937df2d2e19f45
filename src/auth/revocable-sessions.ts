import type { Session } from './session.js';

export interface RevocableSessionsOptions {
  /** Returns the rows of these ids that still exist. */
  existing: (ids: readonly string[]) => Promise<readonly { readonly id: string }[]>;
  /** Notifies other processes of a revoked id. */
  publish: (id: string) => void;
  /** Handles errors of the check after a notification. */
  onError: (error: unknown) => void;
}

/**
 * Ends the running sessions of rows that are revoked: those of this process at once, those of others with a notification or
 * the next sweep.
 */
export class RevocableSessions {
  /** The functions that end running sessions, by the id of the row. */
  readonly #ends = new Map<string, Set<() => void>>();

  constructor(private readonly options: RevocableSessionsOptions) {}

  /** The member of a session with a row. */
  onRevoked(id: string): NonNullable<Session['onRevoked']> {
    return (end) => {
      const ends = this.#ends.get(id) ?? new Set();
      this.#ends.set(id, ends.add(end));
      return () => {
        ends.delete(end);
        if (ends.size === 0 && this.#ends.get(id) === ends) this.#ends.delete(id);
      };
    };
  }

  /** Call this after the removal of the row. */
  revoke(id: string): void {
    this.options.publish(id);
    this.end(id);
  }

  /** Ends the sessions of this process. */
  end(id: string): void {
    const ends = this.#ends.get(id) ?? [];
    this.#ends.delete(id);
    for (const end of ends) end();
  }

  /** Ends the sessions of rows that no longer exist. */
  async sweep(ids: readonly string[] = [...this.#ends.keys()]): Promise<void> {
    const watched = ids.filter((id) => this.#ends.has(id));
    if (watched.length === 0) return;
    const existing = new Set((await this.options.existing(watched)).map(({ id }) => id));
    for (const id of watched) if (!existing.has(id)) this.end(id);
  }

  /** Checks an id of which another process reported the revocation. */
  wake(id: string): void {
    this.sweep([id]).catch(this.options.onError);
  }
}
