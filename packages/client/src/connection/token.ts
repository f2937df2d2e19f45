/** Who asks: a token as it is, or a function that fetches a fresh one. */

/** What a server asks for in `authorization: Bearer …`. A function is asked again when a token was refused or has expired. */
export type Token = string | ((isRefused: boolean) => string | null | Promise<string | null>);

export class TokenSource {
  #current: Promise<string | null> | undefined;
  constructor(private readonly token: Token | undefined) {}

  /** What to send as `authorization`; null for nothing. Asked at the same time, the function is called once. */
  async header(): Promise<string | null> {
    const token = await (this.#current ??= this.#fetch(false));
    return token === null ? null : `Bearer ${token}`;
  }

  /**
   * Gives up the token that was sent.
   * @param header what was sent: one that was renewed meanwhile stays
   * @returns whether there may be another
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
    const fetched = (async () => (typeof token === 'function' ? token(isRefused) : (token ?? null)))();
    // One that could not be fetched is fetched again.
    fetched.catch(() => {
      if (this.#current === fetched) this.#current = undefined;
    });
    return fetched;
  }
}
