/**
 * Executes a search in bounded steps: an index returns pages of candidates, newest first, and their texts are tested
 * until enough hits are ranked. Between steps the operation's limits are checked and other operations run.
 */
import type { Sql } from 'sql-template-tag';
import type { Search } from '../../../conversation/reads.js';
import { searchSteps } from '../../../scheduler/search-limiters.js';
import { workOf, type SearchWork } from '../../../limits/search-work.js';
import type { IndexTerm, SearchQuery } from '../../../search/query.js';
import type { Dialect } from '../../dialects/dialect.js';
import { driverMessage } from '../../dialects/driver-error.js';
import type { FoundHit, HitLists } from './hit-lists.js';
import type { Reader } from '../reader.js';

const PAGE = 10_000;
/** The work counted for another index page, in units of SearchWork: it repeats the earlier pages. */
const PAGE_WORK = 64 * 1024 ** 2;
/** Candidates per expected one. */
const MARGIN = 1.1;
/** Work per step, about 50 ms. Always at least one text with all its patterns. */
const STEP_WORK = 16 * 1024 ** 2;
/** Shorter work is faster than its handover to a worker. */
const SHORT_WORK = STEP_WORK / 8;

/** Texts that the index reads by a word in the time of one row of a list. */
const TEXTS_PER_ROW = 32;

/** Prefixes sent to the index, which expands each over all users' words. */
const MAX_BEGINNINGS = 2;
const MIN_BEGINNING_BYTES = 3;

/** How long searches omit a failed index, in milliseconds. */
const INDEX_PAUSE_MS = 60_000;
/** The end of that pause for each database, by performance.now(). */
const pauseEnds = new WeakMap<Dialect, number>();

interface Candidate {
  id: number;
  chatId: string;
  bytes: number;
}

/** Chats of others in a search; their ids are part of its statements. */
const MAX_SHARED_CHATS = 1_000;

export interface SearchRequest extends Omit<Search, 'query' | 'first' | 'after'> {
  readonly query: SearchQuery;
  readonly lists: HitLists;
  readonly ranked: number;
  readonly work: SearchWork;
}

/**
 * Adds all hits to their lists.
 * @throws TooLargeError when the work limit is exceeded
 */
export async function searchInSteps(
  reader: Reader,
  { query, lists, ranked, work, includeShared = false, ...filter }: SearchRequest,
): Promise<void> {
  const { sql, warn } = reader;
  const patterns = query.required.length + query.excluded.length;
  const costOf = ({ bytes }: Candidate) => workOf(bytes, patterns);
  const [last] = sql.lastText === null ? [] : await take<{ id: number | null }>(reader, sql.lastText, 1);
  const texts = last?.id ?? 0;
  let before: number | null = null;
  const { userId } = filter;
  const shared =
    includeShared && userId !== null
      ? await take<{ id: string }>(reader, sql.sharedChats(userId, MAX_SHARED_CHATS), Infinity)
      : [];
  const sharedIds = shared.map(({ id }) => id);
  const counts = { tested: 0, matched: 0 };
  for (let page = 0; !lists.areFull; page++) {
    const isFirst = page === 0;
    const limit = isFirst
      ? Math.min(PAGE, ranked * lists.length)
      : lists.length === 1
        ? expectedCandidates(ranked, counts)
        : PAGE;
    if (!isFirst) work.take((PAGE_WORK * limit) / PAGE);
    // Most hits are on the first page; prefixes pay off only afterwards.
    const index = performance.now() < (pauseEnds.get(sql) ?? 0) ? [] : indexTerms(query, !isFirst);
    const request = { ...filter, sharedIds, chatIds: lists.open, index, before, limit };
    const candidates = (asked: typeof request) =>
      take<Candidate>(reader, sql.candidates(asked), asked.index.length === 0 ? texts : texts / TEXTS_PER_ROW);
    const found: Candidate[] = await candidates(request).catch((error: unknown) => {
      if (index.length === 0 || sql.failure(error) !== 'no index') throw error;
      pauseEnds.set(sql, performance.now() + INDEX_PAUSE_MS);
      warn(`The full-text index failed, so searches read all texts: ${driverMessage(error)}`);
      return candidates({ ...request, index: [] });
    });
    // For one list, all texts are tested.
    if (isFirst && lists.length === 1) work.check(found.reduce((sum, each) => sum + costOf(each), 0));

    for (const { ids, cost } of steps(found, lists, costOf)) {
      work.take(cost);
      const statement = sql.hits(ids, query, request.chatIds);
      const hits = await take<FoundHit & { id: number }>(reader, statement, cost > SHORT_WORK ? Infinity : 0);
      counts.tested += ids.length;
      counts.matched += hits.length;
      for (const hit of hits.sort((one, other) => other.id - one.id)) lists.add(hit);
    }
    before = found.at(-1)?.id ?? null;
    if (found.length < limit) return;
  }
}

/**
 * The candidates that should suffice for one list, if later ones match as often as those tested; at least as many as all
 * pages after the first returned, so that pages are few. At most a page.
 */
function expectedCandidates(ranked: number, { tested, matched }: { tested: number; matched: number }): number {
  const expected = Math.ceil(MARGIN * (ranked - matched) * (tested / matched));
  return Math.min(PAGE, Math.max(ranked, expected, tested - ranked));
}

/**
 * The rows of a statement, in the search's turn.
 * @param texts the maximum number of texts read
 */
function take<T extends object>({ rows, content, caller }: Reader, statement: Sql, texts: number): Promise<T[]> {
  return searchSteps.run(caller, async () => {
    // The read would never settle, and the turn never end.
    if (content?.isOver === true) throw new Error('The operation of the search has ended');
    return rows<T>(statement, texts);
  });
}

/** The terms for the index. Texts are tested anyway, so prefixes are optional. */
function indexTerms({ index }: SearchQuery, withBeginnings: boolean): IndexTerm[] {
  const words = index.filter(({ isPrefix }) => !isPrefix);
  if (!withBeginnings) return words;
  const selective = index.filter(({ term, isPrefix }) => isPrefix && Buffer.byteLength(term) >= MIN_BEGINNING_BYTES);
  return [...words, ...selective.slice(0, MAX_BEGINNINGS)];
}

/** Batches of candidates whose lists are still open, one step each. */
function* steps(found: readonly Candidate[], lists: HitLists, costOf: (candidate: Candidate) => number) {
  let ids: number[] = [];
  let cost = 0;
  for (const candidate of found) {
    if (ids.length > 0 && cost + costOf(candidate) > STEP_WORK) {
      yield { ids, cost };
      [ids, cost] = [[], 0];
    }
    if (!lists.isOpen(candidate.chatId)) continue;
    ids.push(candidate.id);
    cost += costOf(candidate);
  }
  if (ids.length > 0) yield { ids, cost };
}
