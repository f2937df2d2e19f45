/** The client of an issuer for OpenID Connect: the authorization code flow with PKCE. openid-client checks the answers. */
import type * as openid from 'openid-client';
import { BodyBuffer } from '../../http/requests/body-buffer.js';
import { refused } from '../../http/requests/transfer-request.js';

/** Options of `createServer` that the client uses. */
export interface IssuerOptions {
  /** The URL of the issuer, with which discovery begins. */
  issuer: string;
  /** The required audience of tokens. */
  audience: string;
  clientId: string;
  clientSecret?: string | undefined;
  scopes?: string | undefined;
}

/** Values that the client must keep between the two requests of a sign-in. */
export interface AuthorizationChecks {
  state: string;
  nonce: string;
  verifier: string;
}

const TIMEOUT_SECONDS = 10;
const MAX_ANSWER_BYTES = 256 * 1024;
/** Time after which the endpoints of the issuer are discovered again. */
const DISCOVERY_MS = 10 * 60_000;

type Library = typeof openid;

interface Discovered {
  library: Library;
  configuration: openid.Configuration;
}

export class IssuerClient {
  /** Concurrent sign-ins share a request for the endpoints. */
  #discovered: Promise<Discovered> | null = null;
  #discoveredUntil = 0;

  /** @param log receives why a sign-in failed */
  constructor(
    private readonly options: IssuerOptions,
    private readonly log: (line: string) => void,
  ) {}

  /** The name for users. */
  get name(): string {
    return new URL(this.options.issuer).host;
  }

  /** The token that opens the session: an access token for the audience of this server, or an ID token if that is the client. */
  get token(): 'access_token' | 'id_token' {
    return this.options.audience === this.options.clientId ? 'id_token' : 'access_token';
  }

  /** @returns the address at which the user signs in @throws GraphQLError when the issuer does not answer */
  async addressOf(redirectUri: string, { state, nonce, verifier }: AuthorizationChecks): Promise<string> {
    const { audience, scopes = 'openid' } = this.options;
    try {
      const { library, configuration } = await this.#discover();
      const url = library.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: scopes,
        state,
        nonce,
        code_challenge: await library.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        // Some issuers make a JSON Web Token only for a named audience; others ignore the parameter.
        ...(this.token === 'access_token' && { audience }),
      });
      return url.href;
    } catch (error) {
      return this.#explain(error);
    }
  }

  /**
   * Exchanges the code of a callback.
   * @param callback the redirect URI with the parameters of the issuer
   * @returns a token, whose signature is not verified
   * @throws GraphQLError when the issuer or a check refuses
   */
  async tokenOf(callback: URL, { state, nonce, verifier }: AuthorizationChecks): Promise<string> {
    try {
      const { library, configuration } = await this.#discover();
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
      const answer = await library.authorizationCodeGrant(configuration, callback, checks);
      // With a nonce, an answer without an ID token is refused.
      return answer[this.token] ?? '';
    } catch (error) {
      return this.#explain(error);
    }
  }

  #discover(): Promise<Discovered> {
    const now = Date.now();
    if (this.#discovered !== null && now < this.#discoveredUntil) return this.#discovered;
    const request = this.#request();
    this.#discovered = request;
    this.#discoveredUntil = now + DISCOVERY_MS;
    request.catch(() => (this.#discovered = null));
    return request;
  }

  async #request(): Promise<Discovered> {
    const { issuer, clientId, clientSecret } = this.options;
    const library = await import('openid-client');
    const url = new URL(issuer);
    const configuration = await library.discovery(url, clientId, undefined, authenticationBy(library, clientSecret), {
      [library.customFetch]: boundedFetch,
      timeout: TIMEOUT_SECONDS,
      // Only for issuers on loopback.
      execute: url.protocol === 'http:' ? [library.allowInsecureRequests] : [],
    });
    return { library, configuration };
  }

  /** Names the fault by the codes of the protocol: other texts of the issuer can contain anything. */
  #explain(error: unknown): never {
    const { error: refusal, code, name, cause } = error as Record<string, unknown>;
    const reason = [refusal, code].map(String).find((text) => text !== 'undefined' && /^[\w.-]{1,60}$/.test(text));
    const { code: fault = name } = (cause ?? {}) as { code?: unknown };
    this.log(`A sign-in at ${this.name} failed: ${reason ?? String(fault)}`);
    if (name === 'AuthorizationResponseError') {
      throw refused(`${this.name} refused the sign-in: ${reason}`, 'FORBIDDEN', 403);
    }
    if (reason === undefined || reason === 'OAUTH_TIMEOUT') {
      throw refused(`${this.name} does not answer: try again later`, 'AUTHENTICATION_UNAVAILABLE', 503);
    }
    throw refused(`The answer of ${this.name} is not accepted: ${reason}`, 'AUTHENTICATION_UNAVAILABLE', 502);
  }
}

/** By the method that the issuer supports: servers without a list of them support HTTP Basic. */
function authenticationBy({ None, ClientSecretPost, ClientSecretBasic }: Library, secret?: string): openid.ClientAuth {
  if (secret === undefined) return None();
  return (server, ...rest) => {
    const isPost = server.token_endpoint_auth_methods_supported?.includes('client_secret_post') ?? false;
    return (isPost ? ClientSecretPost : ClientSecretBasic)(secret)(server, ...rest);
  };
}

const boundedFetch: openid.CustomFetch = async (url, { body, ...options }) => {
  const response = await fetch(url, { ...options, body: body ?? null } as RequestInit);
  const received = new BodyBuffer(MAX_ANSWER_BYTES);
  for await (const chunk of response.body ?? []) {
    if (!received.add(chunk)) throw Object.assign(new TypeError('The answer is too long'), { code: 'ANSWER_TOO_LONG' });
  }
  return new Response(received.bytes.length === 0 ? null : new Uint8Array(received.bytes), response);
};
