/** How tokens are checked. The algorithms are fixed here: a token does not choose its own. */
export type AuthOptions = (SharedSecret | PublishedKeys) & {
  /** The claim `iss` that tokens must have. Not checked unless given. */
  issuer?: string | undefined;
  /** What the claim `aud` must be, or have among its values. Not checked unless given. */
  audience?: string | undefined;
  /**
   * The claim that makes an admin when it is true; with `=value` behind it, when it is that text, or has it among its
   * values, as in `roles=parley-admin`.
   * @default 'admin'
   */
  adminClaim?: string | undefined;
};

/** Tokens are signed with HS256 and a secret that the server has. */
interface SharedSecret {
  /** At least 32 bytes. */
  secret: string;
}

/** Tokens are signed by somebody who publishes the keys to check them with, as RFC 7517 has it. */
interface PublishedKeys {
  jwksUrl: string;
  /** Of SIGNATURE_ALGORITHMS. @default ['RS256'] */
  algorithms?: readonly SignatureAlgorithm[] | undefined;
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

/** Of a secret: as long as what HS256 makes of it, or it would be the weaker part. */
export const MIN_SECRET_BYTES = 32;

export const DEFAULT_ADMIN_CLAIM = 'admin';
