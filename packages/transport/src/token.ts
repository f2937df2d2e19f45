/** The token of a viewer: a constant, or a function that fetches a fresh one. */
import { UnauthorizedError } from './errors.js';

/** Sent as `authorization: Bearer …`. A function is called again when a token was refused or has expired. */
export type Token = string | ((isRefused: boolean) => string | null | Promise<string | null>);

export class TokenSource {
  #current: Promise<string | null> | undefined;
  constructor(private readonly token: Token | undefined) {}

  /**
   * The value of `authorization`; null for none. Concurrent calls call the function once.
   * @throws UnauthorizedError when the function fails
   */
  async header(): Promise<string | null> {
    const token = await (this.#current ??= this.#fetch(false));
    return token === null ? null : `Bearer ${token}`;
  }

  /**
   * Discards the sent token.
   * @param header the sent value: a token that was renewed since then is kept
   * @returns whether another token may exist
   */
  async renew(header: string | null): Promise<boolean> {
    if (typeof this.token !== 'function') return false;
    const current = this.#current;
    if (current !== undefined && (await this.header().catch(() => null)) === header && this.#current === current) {
      this.#current = this.#fetch(true);
    }
    return true;
  }

  #fetch(isRefused: boolean): Promise<string | null> {
    const token = this.token;
    const fetched = (async () => (typeof token === 'function' ? token(isRefused) : (token ?? null)))().catch(
      (cause: unknown) => {
        // The next call fetches again.
        if (this.#current === fetched) this.#current = undefined;
        throw new UnauthorizedError('No token could be fetched', { cause });
      },
    );
    return fetched;
  }
}
