import { randomUUID } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { UnauthenticatedError } from '../../auth/errors.js';
import {
  DatabaseUnavailableError,
  DeletedError,
  InvalidInputError,
  OverloadedError,
  RefusalError,
  TimeoutError,
  TooLargeError,
  TooSlowError,
  UpgradeRequiredError,
} from '../../conversation/errors.js';
import { maskError as maskUnexpected } from 'graphql-yoga';

/** The executor quotes the whole wrong value, followed by its path and the reason. */
const MAX_MESSAGE_LENGTH = 2_000;

/** Errors whose message is complete for clients. */
const PLAIN = [
  DeletedError,
  TimeoutError,
  TooLargeError,
  OverloadedError,
  RefusalError,
  TooSlowError,
  UpgradeRequiredError,
] as const;

/**
 * Masks errors for clients. Errors thrown for clients pass unchanged; the executor's errors on variables and arguments
 * get the code of bad input; unexpected errors become an id, under which the log has the details.
 * @param log receives the id and the error
 */
export function createErrorMask(log: (id: string, error: unknown) => void): typeof maskUnexpected {
  const ids = new WeakMap<object, string>();
  /** Returns the id of an error. A failed batch has one error for many fields, logged once. */
  const logged = (original: unknown, error: unknown) => {
    const known = isObject(original) ? ids.get(original) : undefined;
    if (known !== undefined) return known;
    const id = randomUUID();
    if (isObject(original)) ids.set(original, id);
    log(id, error);
    return id;
  };
  return (error, message) => {
    if (isTooLarge(error)) return withExtensions(error, 'The answer is too large: request less at once', 'TOO_LARGE');
    const original = error instanceof GraphQLError ? error.originalError : error;
    if (original instanceof InvalidInputError) {
      return withExtensions(error, original.message, original.code, { path: original.path });
    }
    // With its reason, for the log.
    if (original instanceof UnauthenticatedError) return error as GraphQLError;
    if (PLAIN.some((type) => original instanceof type)) {
      const { message, code } = original as InstanceType<(typeof PLAIN)[number]>;
      return withExtensions(error, message, code);
    }
    if (original instanceof DatabaseUnavailableError) {
      return withExtensions(error, original.message, original.code, { id: logged(original, original) });
    }
    const masked = maskUnexpected(error, message, false);
    if (!(masked instanceof GraphQLError)) return masked;
    if (masked === error) {
      return masked.extensions['code'] === undefined
        ? withExtensions(masked, shortened(masked.message), 'BAD_USER_INPUT')
        : masked;
    }
    return withExtensions(masked, masked.message, 'INTERNAL_SERVER_ERROR', { id: logged(original ?? error, error) });
  };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Whether an answer exceeded the maximum length of a string. */
function isTooLarge(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at instanceof GraphQLError ? at.originalError : at.cause) {
    if (/Invalid string length|Cannot create a string longer|string or blob too big/.test(at.message)) return true;
  }
  return false;
}

function shortened(message: string): string {
  if (message.length <= MAX_MESSAGE_LENGTH) return message;
  const half = MAX_MESSAGE_LENGTH / 2;
  return `${message.slice(0, half)} … ${message.slice(-half)}`.toWellFormed();
}

function withExtensions(error: unknown, message: string, code: string, more: object = {}): GraphQLError {
  const { nodes, source, positions, path, extensions } = error instanceof GraphQLError ? error : new GraphQLError('');
  return new GraphQLError(message, {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    path: path ?? null,
    extensions: { ...extensions, code, ...more },
  });
}
