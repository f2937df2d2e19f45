/**
 * Codes that this server closes sockets with, beside those of the graphql-transport-ws protocol itself. Clients of
 * graphql-ws connect again after each of them but the first; docs/subscriptions.md names them.
 */
export const CloseCode = {
  /** Nothing has run on the socket for long. */
  idle: 1000,
  /** The server stops: come back, another one or the next one is there. */
  restart: 1012,
  /** Too much was left unread: come back, and go on with `after`. */
  tooSlow: 4413,
} as const;
