/** A browser that signs in at an issuer: it keeps cookies, and follows the pages. */
import type { ListeningServer } from '../../support/server/listening-server.js';
import { JSON_BODY, sendTo, type Answer } from './page-sessions.js';

export interface IssuerBrowser {
  cookies: Map<string, string>;
  /** Begins a sign-in on a page. @returns the answer to the page, and the address at the issuer */
  begin(page?: string): Promise<{ answer: Answer; address: URL }>;
  /** Signs in at the issuer. @returns the path of the callback, with its parameters */
  authorize(address: URL): Promise<string>;
  /** Opens an address of the server, as a navigation from the issuer's site. */
  open(path: string): Promise<Answer>;
  /** All of it. @returns the answer to the callback */
  signIn(page?: string): Promise<Answer>;
  /** The user of the session; null without one. */
  user(): Promise<string | null>;
}

/** @param host the name of the server in the browser, with https; by default its loopback address */
export function browserOf({ url }: Pick<ListeningServer, 'url'>, host?: string): IssuerBrowser {
  const send = sendTo(url);
  const origin = host === undefined ? new URL(url).origin : `https://${host}`;
  const cookies = new Map<string, string>();
  const own = (): Record<string, string> => ({
    ...(host !== undefined && { host }),
    ...(cookies.size > 0 && { cookie: [...cookies].map((each) => each.join('=')).join('; ') }),
  });
  const keeping = async (sent: Promise<Answer>) => {
    const answer = await sent;
    for (const each of answer.setCookies) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(each)!;
      if (each.includes('Max-Age=0;')) cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    return answer;
  };
  const begin: IssuerBrowser['begin'] = async (page = '/') => {
    const headers = { ...own(), ...JSON_BODY, origin, 'sec-fetch-site': 'same-origin' };
    const answer = await keeping(send('POST', '/session/sign-in', headers, JSON.stringify({ page })));
    const address = answer.status === 200 ? (JSON.parse(answer.body) as { url: string }).url : origin;
    return { answer, address: new URL(address) };
  };
  const authorize: IssuerBrowser['authorize'] = async (address) => {
    const html = await (await fetch(address)).text();
    const link = /<a href="([^"]+)"/.exec(html)![1]!.replaceAll('&amp;', '&');
    return link.slice(new URL(link).origin.length);
  };
  const open: IssuerBrowser['open'] = (path) =>
    keeping(send('GET', path, { ...withoutStrict(own()), 'sec-fetch-site': 'cross-site', accept: 'text/html' }));
  return {
    cookies,
    begin,
    authorize,
    open,
    signIn: async (page) => open(await authorize((await begin(page)).address)),
    user: async () => {
      const body = '{"query":"{ viewer { userId } }"}';
      const answer = await send('POST', '/graphql', { ...own(), ...JSON_BODY, origin }, body);
      const { data } = JSON.parse(answer.body) as { data?: { viewer: { userId: string } } | null };
      return data?.viewer.userId ?? null;
    },
  };
}

/** A navigation from another site has no cookies that are SameSite=Strict. */
function withoutStrict({ cookie = '', ...headers }: Record<string, string>): Record<string, string> {
  const lax = cookie.split('; ').filter((each) => each.includes('parley-sign-in'));
  return { ...headers, ...(lax.length > 0 && { cookie: lax.join('; ') }) };
}
