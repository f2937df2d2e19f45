/** The words of titles, which filters of chats look up: see writing/index-titles.ts. */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { Row } from '../../../conversation/tables.js';
import type { IndexTerm } from '../../../search/query.js';
import type { Differences } from '../differences.js';
import { isAfter } from './fragments.js';

export function titleStatements(d: Differences) {
  const chats = d.table('chats');
  const words = d.table('chat_title_words');
  const word = raw('w."word"');

  return {
    /**
     * Rows { n, id }: up to `count` chats whose titles contain the nth term; for prefixes, a chat may repeat. Also up to
     * `count` chats with outdated words, after the last term. Their list is read first: a chat whose words are written
     * meanwhile is in it, or in the lists of its words.
     */
    titleCandidates(terms: readonly IndexTerm[], count: number): Sql {
      const [top, limit] = [d.top(count), d.limit(count)];
      const lists = terms.map(({ term, isPrefix }) => {
        const is = isPrefix ? sql`${word} >= ${term} AND ${d.startsWith(word, term)}` : sql`${word} = ${term}`;
        return sql`SELECT ${top} w."chatId" AS "id" FROM ${words} w WHERE ${is} ${limit}`;
      });
      const numbered = (list: Sql, n: number) => sql`SELECT ${raw(String(n))} AS "n", x."id" FROM (${list}) x`;
      const outdated = sql`SELECT ${top} c."id" FROM ${chats} c WHERE ${d.hasOutdatedWords} ${limit}`;
      return join([numbered(outdated, terms.length), ...lists.map(numbered)], ' UNION ALL ');
    },
    /** Rows { id } of chats with outdated words, also of hidden ones, after an id. */
    outdatedTitles: (after: string, count: number): Sql => sql`
      SELECT c."id" FROM ${chats} c WHERE ${d.hasOutdatedWords} AND ${isAfter(raw('c."id"'), after)}
      ORDER BY c."id" ${d.part(count, 0)}`,
    /** Locks a chat with outdated words, also a hidden one, and returns its title; no row while it is locked. */
    lockTitle: (id: string): Sql => sql`
      SELECT c."title" FROM ${chats} c ${d.lockIfFree.table} WHERE c."id" = ${id} AND ${d.hasOutdatedWords}
      ${d.lockIfFree.statement}`,
    deleteTitleWords: (chatId: string): Sql => sql`DELETE FROM ${words} WHERE "chatId" = ${chatId}`,
    insertTitleWords: (rows: readonly Row<'chat_title_words'>[]): Sql => d.insert('chat_title_words', rows),
    setIndexedTitle: (chatId: string, title: string | null): Sql =>
      sql`UPDATE ${chats} SET "indexedTitle" = ${title} WHERE "id" = ${chatId}`,
    /** Makes the words of all titles outdated. */
    forgetTitleWords: (): Sql => sql`UPDATE ${chats} SET "indexedTitle" = NULL WHERE "indexedTitle" IS NOT NULL`,
  };
}
