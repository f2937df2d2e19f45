/**
 * How a search goes through texts. An index says which texts can be hits, a page of them at a time, those that were saved
 * last first. They are read in steps, and say whether they are: until enough are ranked, or there are no more.
 *
 * No step takes long, however long texts are and whatever is asked of them; between two, the operation's bounds are looked
 * at, and others have their turns.
 */
import type { Sql } from 'sql-template-tag';
import type { Search } from '../../../conversation/reads.js';
import { searchSteps } from '../../../limits/search-turns.js';
import { workOf, type SearchWork } from '../../../limits/search-work.js';
import type { IndexTerm, SearchQuery } from '../../../search/query.js';
import type { FoundHit, HitLists } from './hit-lists.js';
import type { Reader } from '../reader.js';

/** How many candidates the index is asked for at once. */
const PAGE = 10_000;
/** What it counts to ask it again, in the measure of SearchWork: it goes once more through what it has found before. */
const PAGE_WORK = 64 * 1024 ** 2;
/** How much is looked through in one step: some 50 ms. A text with all its patterns at least. */
const STEP_WORK = 16 * 1024 ** 2;
/** So much takes no longer than to hand it over. */
const SHORT_WORK = STEP_WORK / 8;

/** The beginnings of words that the index is asked for: it goes through all words that begin so, whosever they are. */
const MAX_BEGINNINGS = 2;
const MIN_BEGINNING_BYTES = 3;

interface Candidate {
  id: number;
  chatId: string;
  bytes: number;
}

type FoundRow = Omit<FoundHit, 'createdAt' | 'seq' | 'score'> &
  Record<'id', number> &
  Record<'createdAt' | 'seq' | 'score', number>;

export interface Looking extends Pick<Search, 'userId' | 'names' | 'createdAfter' | 'createdBefore'> {
  readonly query: SearchQuery;
  readonly lists: HitLists;
  /** How many hits are ranked in each list. */
  readonly ranked: number;
  readonly work: SearchWork;
}

/**
 * Puts all hits into their lists.
 * @throws TooLargeError when that is too much work
 */
export async function lookThrough(reader: Reader, { query, lists, ranked, work, ...filter }: Looking): Promise<void> {
  const { sql } = reader;
  const patterns = query.required.length + query.excluded.length;
  const costOf = ({ bytes }: Candidate) => workOf(bytes, patterns);
  const [last] = sql.lastText === null ? [] : await take<{ id: number | null }>(reader, sql.lastText, 1);
  let before: number | null = null;
  for (let page = 0; !lists.areFull; page++) {
    if (page > 0) work.take(PAGE_WORK);
    const limit = page > 0 ? PAGE : Math.min(PAGE, ranked * lists.length);
    // Most is found on the first page: only then beginnings are worth it.
    const index = indexTerms(query, page > 0);
    const request = { ...filter, chatIds: lists.open, index, before, limit };
    const found: Candidate[] = await take(reader, sql.candidates(request), last?.id ?? 0);
    // Of one list, all of these are gone through.
    if (page === 0 && lists.length === 1) work.check(found.reduce((sum, each) => sum + costOf(each), 0));

    for (const { ids, cost } of steps(found, lists, costOf)) {
      work.take(cost);
      const hits = await take<FoundRow>(reader, sql.hits(ids, query), cost > SHORT_WORK ? Infinity : 0);
      for (const hit of hits.sort((one, other) => other.id - one.id)) {
        lists.add(hit);
      }
    }
    before = found.at(-1)?.id ?? null;
    if (found.length < limit) return;
  }
}

/** The rows of a statement, when it is the search's turn. @param texts how many it looks at, at most */
function take<T extends object>({ rows, content, caller }: Reader, statement: Sql, texts: number): Promise<T[]> {
  return searchSteps.run(caller, async () => {
    // What is read then never comes, and the turn would never end.
    if (content?.isOver === true) throw new Error('Nobody waits for the search any more');
    return rows<T>(statement, texts);
  });
}

/** What the index is asked for. The texts decide in any case, so beginnings can be left to them. */
function indexTerms({ index }: SearchQuery, withBeginnings: boolean): IndexTerm[] {
  const words = index.filter(({ isPrefix }) => !isPrefix);
  if (!withBeginnings) return words;
  const selective = index.filter(({ term, isPrefix }) => isPrefix && Buffer.byteLength(term) >= MIN_BEGINNING_BYTES);
  return [...words, ...selective.slice(0, MAX_BEGINNINGS)];
}

/** Those candidates whose lists are open when it is their turn, as many at a time as a step takes. */
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
