/**
 * Close codes of this server, besides those of the protocol and its library. Clients of graphql-ws reconnect after
 * 1012, 1013, 4403 and 4413; docs/subscriptions.md describes all.
 */
export const CloseCode = {
  /** No operation ran for the idle timeout. */
  idle: 1000,
  /** Too many messages that are not operations. */
  tooManyMessages: 1008,
  /** The server stops: reconnect. */
  restart: 1012,
  /** The database is unavailable: reconnect later, and continue with `after`. */
  tryLater: 1013,
  /** The token was refused or has expired: reconnect with another. */
  forbidden: 4403,
  /** A protocol message that only servers send. */
  badRequest: 4400,
  /** The id of a running operation was reused. */
  idInUse: 4409,
  /** Too many unread bytes or missed events: reconnect, and continue with `after` or start over. */
  tooSlow: 4413,
  /** A bug. */
  internalError: 4500,
} as const;
