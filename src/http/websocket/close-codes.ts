/**
 * Codes that this server closes sockets with, beside those that the protocol and its library have. Clients of graphql-ws
 * connect again by themselves after 1012, 1013, 4403 and 4413; docs/subscriptions.md names them all.
 */
export const CloseCode = {
  /** Nothing has run on the socket for long. */
  idle: 1000,
  /** Too many messages that are no operations. */
  chatter: 1008,
  /** The server stops: come back, another one or the next one is there. */
  restart: 1012,
  /** The database cannot be reached: come back later, and go on with `after`. */
  tryLater: 1013,
  /** The token was refused, or has expired: come back with another. */
  forbidden: 4403,
  /** A message of the protocol that only servers send. */
  badRequest: 4400,
  /** The id of an operation that runs was used for another. */
  idInUse: 4409,
  /** Too much was left unread, or has happened: come back, and go on with `after`, or anew. */
  tooSlow: 4413,
  /** A bug. */
  internalError: 4500,
} as const;
