/** Checks of the options of stores: arguments are unchecked when called from JavaScript. */
import { checkKnown, invalid, isRecord, type AllNames } from '@parley/context/server';
import type { Viewer } from '../../conversation/model.js';
import { parseDatabaseUrl } from '../../database/connection/database-url.js';

export interface OpenContextStoreOptions {
  /** `file:` and a path relative to the working directory, `:memory:`, `postgresql://` or `sqlserver://`. */
  databaseUrl: string;
  /** The storage of files, as FILES_URL of a server. @default the folder next to SQLite's file, or the database */
  filesUrl?: string;
  /** Whether to bring a database server's database up to date. SQLite's always is. @default false */
  migrate?: boolean;
  /** The user on whose behalf the store reads and writes. @default an admin named local, with all rights */
  viewer?: Viewer;
}

/** @throws ContextError that names the wrong option */
export function checkStoreOptions(options: OpenContextStoreOptions): OpenContextStoreOptions {
  const names = ['databaseUrl', 'filesUrl', 'migrate', 'viewer'] as const;
  const { databaseUrl, filesUrl, migrate, viewer } = checkPlain(options, '', names);
  checkUrl(readText(databaseUrl, 'databaseUrl'), 'databaseUrl');
  if (filesUrl !== undefined) readText(filesUrl, 'filesUrl');
  if (migrate !== undefined && typeof migrate !== 'boolean') throw invalid('migrate must be true or false', 'migrate');
  if (viewer !== undefined) {
    const given: Pick<Viewer, 'userId' | 'isAdmin'> = viewer;
    const { userId, isAdmin } = checkPlain(given, 'viewer', ['userId', 'isAdmin']);
    readText(userId, 'viewer.userId');
    if (typeof isAdmin !== 'boolean') throw invalid('viewer.isAdmin must be true or false', 'viewer.isAdmin');
  }
  return options;
}

/**
 * @param name of the option that has the URL
 * @throws ContextError for a wrong URL
 */
export function checkUrl(url: string, name: string): string {
  try {
    parseDatabaseUrl(url);
    return url;
  } catch (error) {
    throw invalid(`${name} ${(error as Error).message}`, name);
  }
}

/**
 * A plain object with known members.
 * @param path its position, for errors; empty for an argument
 * @throws ContextError for another value, such as a pool of a driver, and for an unknown member
 */
export function checkPlain<T extends object, const Names extends readonly (keyof T & string)[]>(
  given: T,
  path: string,
  names: AllNames<T, Names>,
): T {
  const prototype: unknown = isRecord(given) ? Object.getPrototypeOf(given) : undefined;
  if (prototype !== Object.prototype && prototype !== null) {
    throw invalid(`${path || 'the options'} must be a plain object`, path || null);
  }
  return checkKnown(given, names, path);
}

/** @throws ContextError for another value than a non-empty string */
export function readText(value: unknown, path: string): string {
  if (typeof value !== 'string' || value === '') throw invalid(`${path} must be a text that is not empty`, path);
  return value;
}
