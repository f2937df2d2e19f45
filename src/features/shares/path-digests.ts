/** The hashes and hidden messages of the paths of a new share. Common messages are read once. */
import { InvalidInputError } from '../../conversation/errors.js';
import type { Message } from '../../conversation/model.js';
import { isHidden } from '../../conversation/text/message-text.js';
import { projectedData, type Included } from './projection.js';
import type { StoredBranch } from './shared-branches.js';
import { hiddenCount, linkOf, parseShown, type PathReader, type Run } from './shared-path.js';

/** Messages of all paths of a share, hidden ones included; those that paths have in common count once. */
export const MAX_SHARED_MESSAGES = 100_000;
/** Hidden messages of a shared path: a page may read all of them. */
export const MAX_HIDDEN_MESSAGES = 500;
/** Messages read at once for the hash. */
const MESSAGES_AT_ONCE = 500;

/** A path to share. */
export interface SharedPlace {
  /** Its last message. */
  readonly end: Pick<Message, 'chatId' | 'id' | 'depth'>;
  /** The name of the branch with this end; null for another place. */
  readonly name: string | null;
}

export interface DigestReader extends PathReader {
  /** The depth of the newest message that the paths to both have in common; null if none. */
  readCommonDepth(one: SharedPlace['end'], other: SharedPlace['end']): Promise<number | null>;
}

/** The shown messages of a path up to one of them. */
interface Shown {
  contentHash: string | null;
  hidden: Run[];
}

interface ForkedPlace extends SharedPlace {
  /** The earlier path with the most messages in common, and the depth of the last of these; -1 for none. */
  readonly of: number;
  readonly forkDepth: number;
}

/**
 * The digest of each path.
 * @param places the path that opens first, and those of other branches
 * @throws InvalidInputError when they cannot be shared
 */
export async function digestPaths(
  places: readonly SharedPlace[],
  included: Included,
  reader: DigestReader,
): Promise<StoredBranch[]> {
  const paths = await Promise.all(places.map((place, n) => forkedPlace(place, places.slice(0, n), reader)));
  checkTotal(paths);
  /** The shown messages of each path up to the forks of others. */
  const shownAt = new Map<string, Shown>();
  const digests: StoredBranch[] = [];
  for (const [n, { name, end, of, forkDepth }] of paths.entries()) {
    const unshareable = (fault: string) =>
      n === 0
        ? new InvalidInputError(`The path to the place ${fault}`, 'place')
        : new InvalidInputError(`Branch "${name}" ${fault}`, 'branches');
    const start = shownAt.get(`${of} ${forkDepth}`) ?? { contentHash: null, hidden: [] };
    const forkDepths = new Set(paths.flatMap((path) => (path.of === n ? [path.forkDepth] : [])));
    const shown = structuredClone(start);
    for await (const message of messagesFrom(forkDepth + 1, end, reader)) {
      const data = await parseShown(message, reader.parse);
      if (isHidden(data)) {
        addDepth(shown.hidden, message.depth);
        if (hiddenCount(shown.hidden) > MAX_HIDDEN_MESSAGES) {
          throw unshareable(`must have at most ${MAX_HIDDEN_MESSAGES} hidden messages: share an earlier one`);
        }
      } else shown.contentHash = linkOf(message, projectedData(data, included), shown.contentHash);
      if (forkDepths.has(message.depth)) shownAt.set(`${n} ${message.depth}`, structuredClone(shown));
    }
    const { contentHash, hidden } = shown;
    if (contentHash === null) throw unshareable('has only hidden messages: there is nothing to share');
    digests.push({
      ...{ name, messageId: end.id, depth: end.depth, contentHash },
      hiddenDepths: hidden.length === 0 ? null : JSON.stringify(hidden),
      forkOf: forkDepth < 0 ? null : of,
      forkPlace: forkDepth + 1 - hiddenCount(start.hidden),
    });
  }
  return digests;
}

async function forkedPlace(
  place: SharedPlace,
  earlier: readonly SharedPlace[],
  { readCommonDepth }: DigestReader,
): Promise<ForkedPlace> {
  const depths = await Promise.all(earlier.map(async ({ end }) => (await readCommonDepth(end, place.end)) ?? -1));
  const forkDepth = Math.max(-1, ...depths);
  // The first of equal ones: the others have these messages from it.
  return { ...place, of: depths.indexOf(forkDepth), forkDepth };
}

async function* messagesFrom(depth: number, end: SharedPlace['end'], { readPage }: PathReader) {
  const path = { chatId: end.chatId, headMessageId: end.id, messageCount: end.depth + 1 };
  for (let after = depth - 1; after < end.depth; after += MESSAGES_AT_ONCE) {
    const page = { first: MESSAGES_AT_ONCE, last: null, after: after < 0 ? null : after, before: null };
    yield* (await readPage(path, page)).rows;
  }
}

function addDepth(runs: Run[], depth: number): void {
  const last = runs.at(-1);
  if (last?.[1] === depth - 1) last[1] = depth;
  else runs.push([depth, depth]);
}

function checkTotal(paths: readonly ForkedPlace[]): void {
  const count = paths.reduce((sum, { end, forkDepth }) => sum + end.depth - forkDepth, 0);
  if (count <= MAX_SHARED_MESSAGES) return;
  const fault = `must have at most ${MAX_SHARED_MESSAGES} messages`;
  throw paths.length === 1
    ? new InvalidInputError(`The path to the place ${fault}, got ${count}: share an earlier one`, 'place')
    : new InvalidInputError(`The shared branches ${fault} together, got ${count}: share fewer branches`, 'branches');
}
