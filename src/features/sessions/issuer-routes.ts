/** `/session/sign-in` and `/session/callback`: a page of this server opens a session with a sign-in at the issuer. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GraphQLError } from 'graphql';
import type { RouteServices } from '../../feature.js';
import { readCookie, readHeader, sessionCookie, sessionSecretOf, setCookie } from '../../http/server/credentials.js';
import { isOrigin } from '../../http/server/origins.js';
import { receiveJson } from '../../http/requests/receive-json.js';
import { badRequest, refusalOf, refused } from '../../http/requests/transfer-request.js';
import type { OpenRoute } from '../../route.js';
import { sealSignIn, SIGN_IN_SECONDS, unsealSignIn } from './begun-sign-in.js';
import type { IssuerClient } from './issuer-client.js';
import { failedPage, signedInPage, type Page } from './issuer-pages.js';
import { admitted, requireHost, requireOwnPage, sessionRouteOf, textOf } from './page-requests.js';
import type { RecordedSessions } from './recorded-sessions.js';
import { newSecret } from './sealed-token.js';

export const SIGN_IN_PATH = '/session/sign-in';
export const CALLBACK_PATH = '/session/callback';

const COOKIE = 'parley-sign-in';
const MAX_BODY_BYTES = 64 * 1024;

interface IssuerServices extends Pick<RouteServices, 'admit' | 'onError'> {
  sessions: RecordedSessions;
  /** Null if users sign in with tokens only. */
  client: IssuerClient | null;
}

export function issuerRoutes(services: IssuerServices): Record<string, OpenRoute> {
  const { client } = services;
  return {
    [SIGN_IN_PATH]: sessionRouteOf(services, (...call) => signIn(services, ...call)),
    ...(client !== null && {
      [CALLBACK_PATH]: sessionRouteOf(services, (...call) => finish({ ...services, client }, ...call)),
    }),
  };
}

/** Returns the name of the issuer by GET, and begins a sign-in by POST, which pages of other sites cannot. */
async function signIn(
  { client, admit }: IssuerServices,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method } = request;
  if (method === 'GET') return answerJson(response, { issuer: client?.name ?? null });
  if (method !== 'POST') return void response.writeHead(405, { allow: 'GET, POST' }).end();
  const header = readHeader(request.headers);
  requireOwnPage(header);
  requireHost(header);
  const origin = header('origin');
  if (origin === null || !isOrigin(origin)) throw badRequest('The request must have the Origin of a page');
  if (client === null) throw badRequest('A sign-in at the issuer requires AUTH_OIDC_CLIENT_ID');
  const page = textOf(await receiveJson(request, response, MAX_BODY_BYTES), 'page');
  await admitted(admit, null, request);
  const checks = { state: newSecret(), nonce: newSecret(), verifier: newSecret() };
  const { state, ...kept } = checks;
  const url = await client.addressOf(`${origin}${CALLBACK_PATH}`, checks);
  const value = sealSignIn({ ...kept, origin, page, earlier: sessionSecretOf(header) }, state);
  response.setHeader('set-cookie', setCookie(header, { ...LAX, value, seconds: SIGN_IN_SECONDS }));
  answerJson(response, { url });
}

/** Browsers send it with the navigation from the issuer's site to the callback. */
const LAX = { name: COOKIE, sameSite: 'Lax' } as const;

async function finish(
  services: IssuerServices & { client: IssuerClient },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'GET') return void response.writeHead(405, { allow: 'GET' }).end();
  try {
    answerPage(response, 200, await signedIn(services, request, response));
  } catch (error) {
    const { message, extensions } = refusalOf(error, services.onError);
    const { http } = extensions as { http?: { status?: number; headers?: Record<string, string> } };
    const { headers, html } = failedPage(message);
    answerPage(response, http?.status ?? 500, { headers: { ...http?.headers, ...headers }, html });
  }
}

async function signedIn(
  { client, sessions, admit }: IssuerServices & { client: IssuerClient },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Page> {
  const header = readHeader(request.headers);
  const { search, searchParams } = new URL(request.url ?? '', 'http://localhost');
  const state = searchParams.get('state') ?? '';
  const begun = unsealSignIn(readCookie(header, COOKIE) ?? '', state);
  if (begun === null) {
    throw badRequest(
      'This browser did not begin this sign-in in the last 10 minutes, or has finished it: sign in again',
    );
  }
  await admitted(admit, null, request);
  const used = setCookie(header, { ...LAX, value: '', seconds: 0 });
  response.setHeader('set-cookie', used);
  const { origin, earlier, page, ...checks } = begun;
  const token = await client.tokenOf(new URL(`${origin}${CALLBACK_PATH}${search}`), { ...checks, state });
  const opened = await sessions.open(token, earlier, request).catch((error: unknown) => {
    if (!(error instanceof GraphQLError) || error.extensions['code'] !== 'UNAUTHENTICATED') throw error;
    throw refused(`The ${client.token} of ${client.name} is not accepted. ${error.message}`, 'UNAUTHENTICATED', 401);
  });
  response.setHeader('set-cookie', [used, sessionCookie(header, opened.secret, opened.seconds)]);
  return signedInPage(opened.userId, page);
}

function answerJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function answerPage(response: ServerResponse, status: number, { headers, html }: Page): void {
  response.writeHead(status, headers).end(html);
}
