/** Requests of the routes beside GraphQL, with the token of the user. */
import { errorOf, type AnsweredError } from '@parley/transport/answer';
import { routeUrl, type OpenRoute } from '@parley/transport/chat-files';
import { unreachable, UnreachableError } from '@parley/transport/errors';
import { TokenSource, type Token } from '@parley/transport/token';
import { countedStream, fetchWithXhr, platformXhr, type OnSent } from './upload.js';

export interface RouteOptions {
  /** The address of GraphQL, as for createParley: the routes are beside it. */
  url: string;
  /** For a server that requires authentication. */
  token?: Token;
  /** @default globalThis.fetch */
  fetch?: typeof globalThis.fetch;
}

/** The absolute address of GraphQL. */
export function absoluteUrl(url: string): URL {
  return new URL(url, (globalThis as { location?: { href: string } }).location?.href);
}

/** @returns a function that takes `onSent`, called while a body is sent, and returns the function that sends requests */
export function routeOpener({ url, token, fetch }: RouteOptions): (onSent?: OnSent) => OpenRoute {
  const tokens = new TokenSource(token);
  return (onSent) => async (route, query, init) => {
    const target = routeUrl(absoluteUrl(url), route, query).href;
    const isOnce = init.body instanceof ReadableStream;
    const send = (request: RequestInit): Promise<Response> => {
      if (onSent === undefined) return (fetch ?? globalThis.fetch)(target, request);
      if (isOnce) {
        const body = countedStream(init.body as ReadableStream<Uint8Array>, onSent);
        return (fetch ?? globalThis.fetch)(target, { ...request, body });
      }
      const XhrClass = fetch === undefined ? platformXhr() : undefined;
      return XhrClass ? fetchWithXhr(XhrClass, target, request, onSent) : (fetch ?? globalThis.fetch)(target, request);
    };
    for (let isAgain = isOnce; ; isAgain = true) {
      const authorization = await tokens.header();
      const headers = { ...init.headers, ...(authorization !== null && { authorization }) };
      const response = await send({ ...init, headers }).catch((cause: unknown) => {
        throw init.signal?.aborted === true ? cause : unreachable(cause);
      });
      if (response.ok) return response;
      if (response.status !== 401 || isAgain || !(await tokens.renew(authorization))) throw await failureOf(response);
      await response.body?.cancel();
    }
  };
}

async function failureOf(response: Response): Promise<Error> {
  const { errors } = (await response.json().catch(() => ({}))) as { errors?: AnsweredError[] };
  return errors?.[0] ? errorOf(errors[0]) : new UnreachableError(`The server returned status ${response.status}`);
}
