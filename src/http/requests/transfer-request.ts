/** Parameters, rights and refusals of export and import requests. */
import type { ServerResponse } from 'node:http';
import { GraphQLError } from 'graphql';
import { DatabaseUnavailableError, RefusalError, UpgradeRequiredError } from '../../conversation/errors.js';
import { nameFault } from '../../conversation/bounds.js';
import type { Viewer } from '../../conversation/model.js';
import { FileStorageError } from '../../files/file-storage.js';

/** A refusal with an HTTP status, in the format of GraphQL errors. */
export function refused(message: string, code: string, status: number): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: { status } } });
}

export function badRequest(message: string): GraphQLError {
  return refused(message, 'BAD_REQUEST', 400);
}

/**
 * The refusal for any error.
 * @param onError receives unexpected errors
 */
export function refusalOf(error: unknown, onError: (error: unknown) => void): GraphQLError {
  if (error instanceof GraphQLError) return error;
  if (error instanceof DatabaseUnavailableError || error instanceof UpgradeRequiredError) {
    return refused(error.message, error.code, 503);
  }
  if (error instanceof RefusalError) return refused(error.message, error.code, error.status);
  onError(error);
  if (error instanceof FileStorageError && error.summary !== null) {
    if (error.fault === 'TEMPORARY') return refused(error.summary, 'OVERLOADED', 503);
    return refused(`${error.summary}: retry later`, 'STORAGE_UNAVAILABLE', 503);
  }
  return refused('Unexpected error.', 'INTERNAL_SERVER_ERROR', 500);
}

/**
 * The parameters of a URL, each at most once.
 * @throws GraphQLError with code BAD_REQUEST for an unknown name, and for a value that no database can store
 */
export function parametersOf<Name extends string>(url: URL, names: readonly Name[]): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {};
  for (const [key, value] of url.searchParams) {
    const name = names.find((one) => one === key);
    if (name === undefined) {
      const known = names.join(', ');
      throw badRequest(`There is no parameter ${JSON.stringify(key.slice(0, 100))}; there are ${known}`);
    }
    if (found[name] !== undefined) throw badRequest(`${name} is given twice`);
    const fault = nameFault(value);
    if (fault !== null) throw badRequest(`${name} ${fault}`);
    found[name] = value;
  }
  return found;
}

/**
 * The user whose chats are meant: the viewer, or an admin's choice.
 * @throws GraphQLError with code FORBIDDEN
 */
export function ownerOf({ userId, isAdmin }: Viewer, asked: string | undefined): string {
  if (asked === undefined) return userId;
  if (asked !== userId && !isAdmin) throw refused('Only admins can access the chats of other users', 'FORBIDDEN', 403);
  return asked;
}

export function refuse(response: ServerResponse, { message, extensions }: GraphQLError): void {
  const { http, ...rest } = extensions as { http?: { status?: number; headers?: Record<string, string> } };
  const body = JSON.stringify({ errors: [{ message, extensions: rest }] });
  // The rest of an unread body is discarded.
  response.writeHead(http?.status ?? 500, {
    ...http?.headers,
    'content-type': 'application/json',
    connection: 'close',
  });
  response.end(body);
}

/** Aborted when the client disconnects, and after the response. */
export function signalOfLeaving(response: ServerResponse): AbortSignal {
  const left = new AbortController();
  const leave = () => left.abort(new Error('The client disconnected'));
  response.once('close', leave);
  if (response.closed) leave();
  return left.signal;
}
