/** How tokens are checked. The algorithms are fixed here: a token does not choose its own. */
export type AuthOptions = (SharedSecret | PublishedKeys) & {
  /** Required claim `iss`. Not checked by default. */
  issuer?: string | undefined;
  /** Required claim `aud`, or one of its values. Not checked by default. */
  audience?: string | undefined;
  /**
   * The claim that makes a user an admin when it is true; with `=value`, when it is that text or contains it, as in
   * `roles=parley-admin`. Write a claim inside of another one with a dot:
   * `realm_access.roles=parley-admin`.
   * @default 'admin'
   */
  adminClaim?: string | undefined;
  /**
   * The claim with the id of the user, or the path to it. Choose one that identifies a user for ever: an address of mail
   * can pass to another person.
   * @default 'sub'
   */
  userClaim?: string | undefined;
};

/** Tokens are signed with HS256 and a secret of the server. */
interface SharedSecret {
  /** At least 32 bytes. */
  secret: string;
  /** The secret before, whose tokens are accepted, too. At least 32 bytes. */
  previousSecret?: string | undefined;
}

/** Tokens are signed by an issuer that publishes its keys by RFC 7517. */
interface PublishedKeys {
  jwksUrl: string;
  /** Some of SIGNATURE_ALGORITHMS. @default ['RS256'] */
  algorithms?: readonly SignatureAlgorithm[] | undefined;
  /** Users of the server's own pages sign in at the issuer. Requires `issuer`, its URL, and `audience`. */
  oidc?: OidcOptions | undefined;
}

/** A client of the issuer, for OpenID Connect: see docs/access/sessions.md. */
interface OidcOptions {
  clientId: string;
  /** Missing for a public client. */
  clientSecret?: string | undefined;
  /** Separated by spaces. @default 'openid' */
  scopes?: string | undefined;
}

/** Those of RFC 7518 and RFC 8037 whose keys can be published. */
export const SIGNATURE_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

export type SignatureAlgorithm = (typeof SIGNATURE_ALGORITHMS)[number];

/** As long as the HMAC of HS256; a shorter secret would be the weaker part. */
export const MIN_SECRET_BYTES = 32;

export const DEFAULT_ADMIN_CLAIM = 'admin';
export const DEFAULT_USER_CLAIM = 'sub';

/** Whether the URL of published keys has a user or a password: fetch refuses them and repeats them in its error. */
export function hasCredentials(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}
