/** Pages of other origins: which may ask, and word of those that may not to whoever runs the server. */
import type { IncomingHttpHeaders } from 'node:http';

/** Of more origins than these nobody is told: a browser's page may name any that it has. */
const MAX_TOLD = 20;

/** One that a browser can name: a pattern matches none. */
export function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && !text.includes('*');
}

export class Origins {
  readonly #allowed: ReadonlySet<string>;
  readonly #told = new Set<string>();

  /**
   * @param allowed such as https://chat.example
   * @param log takes a line
   */
  constructor(
    allowed: readonly string[],
    private readonly log: (line: string) => void,
  ) {
    this.#allowed = new Set(allowed);
  }

  /**
   * Whether pages of an origin may ask though it is not the server's own.
   * @param host what the page calls the server
   * @param isSameOrigin whether the browser says that it is the server's own: behind a proxy the server may not know its name
   */
  isAllowed(origin: string, { host, isSameOrigin }: { host: string | undefined; isSameOrigin: boolean }): boolean {
    if (this.#allowed.has(origin)) return true;
    if (!isSameOrigin && !isOwn(origin, host)) this.#tell(origin);
    return false;
  }

  /**
   * Whether a page may open a socket. Browsers let every page try, and tell which one it is: it must be a page of this
   * server's own, whatever its scheme (TLS may end before the server), or of an origin that is allowed. Programs that are
   * no browsers tell none.
   */
  mayConnect({ origin, host }: IncomingHttpHeaders): boolean {
    if (origin === undefined || isOwn(origin, host)) return true;
    return this.isAllowed(origin, { host, isSameOrigin: false });
  }

  /** Once of each: whoever has written the page sees no more than that it failed. */
  #tell(origin: string): void {
    if (this.#told.size === MAX_TOLD || this.#told.has(origin) || !isOrigin(origin)) return;
    this.#told.add(origin);
    this.log(`A page of ${origin} was refused: if it is to ask here, add ${origin} to ALLOWED_ORIGINS`);
  }
}

function isOwn(origin: string, host: string | undefined): boolean {
  return host !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
