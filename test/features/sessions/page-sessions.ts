/** A server with users, and its pages, as a browser sends their requests. */
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { startWithChats, type Headers, type TokenServer } from '../../auth/access-tokens.js';

export interface Answer {
  status: number;
  setCookie: string | undefined;
  setCookies: readonly string[];
  headers: IncomingHttpHeaders;
  body: string;
}

export interface SignedIn {
  /** The headers of a request by a page of the server. */
  page: Headers;
  /** The cookie as it was set. */
  setCookie: string;
}

export interface SessionServer extends TokenServer {
  /** A request with any headers, such as a Host. */
  send(method: string, path: string, headers: Headers, body?: string): Promise<Answer>;
  /** Opens a session on a page of the server. */
  signIn(of: Headers): Promise<SignedIn>;
  /** The user of the next operation of a page; null for a refused one. */
  userOf(headers: Headers): Promise<string | null>;
}

export const JSON_BODY = { 'content-type': 'application/json' };

/** Sends requests with any headers, such as a Host. */
export function sendTo(url: string): SessionServer['send'] {
  const { port } = new URL(url);
  return async (method, path, headers, body) => {
    const sent = request({ method, path, port, host: '127.0.0.1', headers });
    const response = await new Promise<IncomingMessage>((resolve, reject) =>
      sent.once('response', resolve).once('error', reject).end(body),
    );
    const setCookies = response.headers['set-cookie'] ?? [];
    const { statusCode: status = 0, headers: answered } = response;
    return { status, setCookie: setCookies[0], setCookies, headers: answered, body: await text(response) };
  };
}

export async function startWithSessions(options: Parameters<typeof startWithChats>[0] = {}): Promise<SessionServer> {
  const server = await startWithChats(options);
  const send = sendTo(server.url);
  return {
    ...server,
    send,
    signIn: async ({ authorization = '' }) => {
      const body = JSON.stringify({ token: authorization.replace('Bearer ', '') });
      const { status, setCookie = '' } = await send('POST', '/session', { ...JSON_BODY, origin: server.origin }, body);
      if (status !== 200) throw new Error(`POST /session returned ${status}`);
      return { setCookie, page: { cookie: setCookie.split(';', 1)[0]!, origin: server.origin } };
    },
    userOf: async (headers) => {
      const { data } = await server.as(headers, '{ viewer { userId } }');
      return (data as { viewer: { userId: string } } | null | undefined)?.viewer.userId ?? null;
    },
  };
}
