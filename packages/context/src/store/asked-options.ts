/** Checks of the options of reads: every store accepts and refuses the same. */
import { invalid } from '../errors.js';
import { MAX_MESSAGES_PER_SOURCE } from '../messages/source-messages.js';
import { checkCount, MAX_HITS } from '../counts.js';
import { checkKnown } from './known-fields.js';
import type {
  DeleteChatOptions,
  ListChatsOptions,
  PlaceData,
  SearchChatsOptions,
  SearchOptions,
} from './store-data.js';

/** @throws ContextError */
export function toListOptions(options: ListChatsOptions): ListChatsOptions {
  if (options.metadata !== undefined) checkKnown(options.metadata, ['key', 'value'], 'metadata');
  checkFlag(options.includeShared);
  return checkKnown(options, ['userId', 'includeShared', 'metadata', 'limit', 'offset']);
}

/** @throws ContextError */
export function toSearch(options: SearchOptions): { first: number; names: readonly string[] | undefined } {
  const { limit = 20, names, roles } = checkKnown(options, ['limit', 'names', 'roles']);
  if (names !== undefined && roles !== undefined) throw invalid('roles cannot be given together with names', 'roles');
  return { first: checkCount(limit, 'limit', 1, MAX_HITS), names: names ?? roles };
}

/** @throws ContextError */
export function toChatsSearch({ includeShared, ...options }: SearchChatsOptions) {
  return { ...toSearch(options), includeShared: checkFlag(includeShared) };
}

/** Options are unchecked when called from JavaScript. */
function checkFlag(includeShared: unknown = false): boolean {
  if (typeof includeShared !== 'boolean') throw invalid('includeShared must be true or false', 'includeShared');
  return includeShared;
}

/**
 * The owner whose chat is deleted; undefined deletes the chat of any owner.
 * @throws ContextError
 */
export function toRemovableOwner(options: DeleteChatOptions): string | undefined {
  return checkKnown(options, ['userId']).userId;
}

/** @throws ContextError unless the place has exactly one member, which is a text */
export function toPlace(place: PlaceData, path: 'base' | 'head'): PlaceData {
  const given = Object.entries(checkKnown(place, ['branch', 'checkpoint', 'messageId'], path)) as [string, unknown][];
  const [[name, value] = ['', undefined], ...others] = given.filter(([, each]) => each !== undefined);
  if (others.length > 0 || typeof value !== 'string') {
    throw invalid(`${path} must have exactly one text: branch, checkpoint or messageId`, path);
  }
  return { [name]: value };
}

/** @throws ContextError */
export function toPathLength(length: number): number {
  return checkCount(length, 'length', 1, MAX_MESSAGES_PER_SOURCE);
}
