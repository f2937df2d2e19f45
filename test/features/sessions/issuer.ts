/** An issuer of OpenID Connect: discovery, keys, the authorization code flow with PKCE. It signs in the user that a test names. */
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose';
import { onTestFinished } from 'vitest';

export const CLIENT = 'parley-pages';
export const CLIENT_SECRET = 'the secret of the client';
export const AUDIENCE = 'parley-api';

/** Deviations of an issuer that fails or attacks. */
export interface Behaviour {
  /** The claims of the user that is signed in. */
  user?: JWTPayload;
  /** Further claims of each token. */
  idToken?: JWTPayload;
  accessToken?: JWTPayload;
  /** The access token, which is not a JSON Web Token. */
  opaqueToken?: string;
  metadata?: object;
  /** Answers requests of the server. @returns whether it did */
  answer?(path: string, response: ServerResponse): boolean;
  /** The parameters of the callback. */
  callback?(parameters: URLSearchParams): void;
  /** The only method by which clients authenticate. */
  method?: 'client_secret_basic' | 'client_secret_post' | 'none';
}

interface Grant {
  clientId: string;
  redirectUri: string;
  nonce: string;
  challenge: string;
}

export interface Issuer {
  url: string;
  behaviour: Behaviour;
  /** Requests of the server, by path. */
  requests: string[];
  /** The options of a server that accepts its tokens. */
  auth: {
    jwksUrl: string;
    issuer: string;
    audience: string;
    oidc: { clientId: string; clientSecret?: string; scopes?: string };
  };
  stop(): Promise<void>;
}

export async function startIssuer(behaviour: Behaviour = {}): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'key', alg: 'RS256', use: 'sig' };
  const grants = new Map<string, Grant>();
  const requests: string[] = [];
  const sign = (claims: JWTPayload) =>
    new SignJWT({ iss: url, sub: 'ann', exp: Math.floor(Date.now() / 1_000) + 300, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'key' })
      .setIssuedAt()
      .sign(privateKey);

  function authorize(asked: URLSearchParams, response: ServerResponse): void {
    const code = randomUUID();
    const redirectUri = asked.get('redirect_uri') ?? '';
    grants.set(code, {
      clientId: asked.get('client_id') ?? '',
      redirectUri,
      nonce: asked.get('nonce') ?? '',
      challenge: asked.get('code_challenge') ?? '',
    });
    const callback = new URL(redirectUri);
    callback.searchParams.set('code', code);
    callback.searchParams.set('state', asked.get('state') ?? '');
    callback.searchParams.set('iss', url);
    behaviour.callback?.(callback.searchParams);
    const page = `<!doctype html><link rel="icon" href="data:," /><h1>Issuer</h1><a href="${callback.href.replaceAll('&', '&amp;')}">Sign in</a>`;
    response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  }

  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = new URLSearchParams(await text(request));
    const code = sent.get('code') ?? '';
    const grant = grants.get(code);
    // A code is valid once.
    grants.delete(code);
    const challenge = createHash('sha256')
      .update(sent.get('code_verifier') ?? '')
      .digest('base64url');
    const error = !isClient(request, sent)
      ? 'invalid_client'
      : grant?.clientId !== CLIENT || grant.redirectUri !== sent.get('redirect_uri') || grant.challenge !== challenge
        ? 'invalid_grant'
        : null;
    if (error !== null) return answerJson(response, { error, error_description: CLIENT_SECRET }, 400);
    const { user, idToken, accessToken, opaqueToken } = behaviour;
    answerJson(response, {
      token_type: 'Bearer',
      access_token: opaqueToken ?? (await sign({ aud: AUDIENCE, ...user, ...accessToken })),
      id_token: await sign({ aud: CLIENT, nonce: grant!.nonce, ...user, ...idToken }),
    });
  }

  function isClient({ headers: { authorization } }: IncomingMessage, sent: URLSearchParams): boolean {
    const method = behaviour.method ?? 'client_secret_basic';
    if (method === 'client_secret_basic') {
      // RFC 6749, section 2.3.1: both parts are encoded as in a form.
      const parts = atob(authorization?.replace('Basic ', '') ?? '').split(':');
      return parts.map((part) => decodeURIComponent(part.replaceAll('+', ' '))).join() === `${CLIENT},${CLIENT_SECRET}`;
    }
    if (sent.get('client_id') !== CLIENT || authorization !== undefined) return false;
    return sent.get('client_secret') === (method === 'none' ? null : CLIENT_SECRET);
  }

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    requests.push(pathname);
    if (behaviour.answer?.(pathname, response)) return;
    if (pathname === '/.well-known/openid-configuration') {
      answerJson(response, {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        authorization_response_iss_parameter_supported: true,
        ...(behaviour.method === 'client_secret_post' && { token_endpoint_auth_methods_supported: [behaviour.method] }),
        ...behaviour.metadata,
      });
    } else if (pathname === '/keys') answerJson(response, { keys: [jwk] });
    else if (pathname === '/authorize') authorize(searchParams, response);
    else if (pathname === '/token') await exchange(request, response);
    else response.writeHead(404).end();
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(stop);
  const oidc = behaviour.method === 'none' ? { clientId: CLIENT } : { clientId: CLIENT, clientSecret: CLIENT_SECRET };
  return { url, behaviour, requests, auth: { jwksUrl: `${url}/keys`, issuer: url, audience: AUDIENCE, oidc }, stop };
}

function answerJson(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
