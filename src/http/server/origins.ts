/** Decides which pages of other origins may send requests, and logs refused origins for the operator. */
import type { IncomingHttpHeaders } from 'node:http';

/** Origins logged at most: a browser's page may name any origin. */
const MAX_LOGGED = 20;

/** Whether a text is an origin as browsers send it, without patterns. */
export function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && !text.includes('*');
}

export class Origins {
  readonly #allowed: ReadonlySet<string>;
  readonly #logged = new Set<string>();

  /**
   * @param allowed such as https://chat.example
   * @param log receives a line
   */
  constructor(
    allowed: readonly string[],
    private readonly log: (line: string) => void,
  ) {
    this.#allowed = new Set(allowed);
  }

  /**
   * Whether pages of another origin may send requests.
   * @param host the server's name in the request
   * @param isSameOrigin whether the browser reports the server's own origin: behind a proxy the server may not know its
   * name
   */
  isAllowed(origin: string, { host, isSameOrigin }: { host: string | undefined; isSameOrigin: boolean }): boolean {
    if (this.#allowed.has(origin)) return true;
    if (!isSameOrigin && !isOwnOrigin(origin, host)) this.#logRefusal(origin);
    return false;
  }

  /**
   * Whether a page may open a socket. Browsers allow every page to try and send its origin: it must be the server's
   * own, with any scheme (TLS may end at a proxy), or allowed. Other programs send no origin.
   */
  mayConnect({ origin, host }: IncomingHttpHeaders): boolean {
    if (origin === undefined || isOwnOrigin(origin, host)) return true;
    return this.isAllowed(origin, { host, isSameOrigin: false });
  }

  /** Once for each origin: the browser reports only a failure to the page's author. */
  #logRefusal(origin: string): void {
    if (this.#logged.size === MAX_LOGGED || this.#logged.has(origin) || !isOrigin(origin)) return;
    this.#logged.add(origin);
    this.log(`A page of ${origin} was refused: to allow its requests, add ${origin} to ALLOWED_ORIGINS`);
  }
}

/** Whether an origin has the name of the server in the request, with any scheme: TLS may end at a proxy. */
export function isOwnOrigin(origin: string, host: string | undefined): boolean {
  return host !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
