/** Queries without words, and with everything that databases interpret. */
import { describe, expect, test } from 'vitest';
import { openerWithTexts, search } from '../../support/chats/search.js';

const openWithTexts = openerWithTexts();

describe('no query fails:', () => {
  const nested = (count: number) => `${'('.repeat(count)}a${')'.repeat(count)}`;
  test.each<[what: string, query: string]>([
    ['nothing', ''],
    ['spaces', ' \t\n '],
    ['one quote', '"'],
    ['an open phrase', '"alpha beta'],
    ['three quotes', '"""'],
    ['an empty phrase', '"" alpha'],
    ['single quotes', "'alpha' ''"],
    ['an injection', "'; DROP TABLE messages; --"],
    ['operators alone', 'AND OR NOT NEAR'],
    ['operators of FTS5', 'alpha NEAR/2 beta AND (gamma OR ^delta) : {a b} : x NOT y'],
    ['columns of FTS5', 'terms:alpha scope:c63 {scope terms}:x'],
    ['operators of PostgreSQL', 'alpha & beta | !gamma <-> delta:*A <2> x'],
    ['operators of SQL Server', 'FORMSOF(INFLECTIONAL, alpha) NEAR ISABOUT("a" WEIGHT(.5)) ~ beta &! x'],
    ['brackets', '([{<alpha>}])'],
    ['unbalanced brackets', '((( alpha )'],
    ['brackets 1,000 deep', nested(1000)],
    ['stars', '* ** *** a** **a'],
    ['minus signs alone', '- -- --- alpha'],
    ['minus signs', '-alpha --alpha -'],
    ['exclusions alone', '-alpha -"beta gamma" -delta*'],
    ['percent and underscore', '% _ %alpha% a_pha [a-z] [^a]'],
    ['backslashes', '\\ \\\\ \\alpha \\" \\%'],
    ['punctuation', '!?.,;:…—–«»„“”‚‘’¿¡§¶†‡•'],
    ['emoji', '🙂 👩‍👩‍👧‍👦 ❤️ 🇵🇹'],
    ['control characters', '\u0001\u0007\u001b alpha \u007f\u0085'],
    ['U+0000', 'al\0pha \0'],
    ['half a surrogate pair', 'alpha \ud83d \ude00 x\ud800'],
    ['bidirectional marks', '\u202ealpha\u202c \u200f'],
    ['combining marks alone', '\u0301\u0301 \u0e31 \u05b0'],
    ['names of JavaScript values', 'null undefined NaN true __proto__ constructor'],
    ['10,000 letters', 'x'.repeat(10_000)],
    ['10,000 words', 'ab '.repeat(10_000)],
    ['5,000 different words', Array.from({ length: 5000 }, (_, n) => n.toString(36)).join(' ')],
    ['5,000 exclusions', `alpha ${Array.from({ length: 5000 }, (_, n) => `-x${n.toString(36)}`).join(' ')}`],
    ['3,000 beginnings', Array.from({ length: 3000 }, (_, n) => `${n.toString(36)}*`).join(' ')],
    ['10,000 Chinese characters', '北京大学'.repeat(2500)],
    ['10,000 quotes', '"'.repeat(10_000)],
    ['10,000 minus signs', '-'.repeat(10_000)],
    [
      '10,000 characters of everything',
      Array.from({ length: 10_000 }, (_, n) => String.fromCharCode(32 + ((n * 37) % 95))).join(''),
    ],
    ['a phrase of 5,000 words', `"${'a b '.repeat(2500)}"`],
    ['a megabyte', 'alpha '.repeat(170_000)],
  ])('%s', async (_, query) => {
    const parley = await openWithTexts({ m1: 'alpha beta gamma', m2: 'it is nothing like that: 北京' });
    const document = `query ($query: String!) {
      search(query: $query) { edges { node { rank snippet message { id } } } }
      chat(id: "c") { search(query: $query, names: ["user"]) { edges { node { message { id } } } } }
    }`;
    const answer = await parley.ask(document, { query });
    expect(answer.errors).toBeUndefined();
    expect(parley.takeUnexpectedErrors()).toEqual([]);
  });

  test.each([
    ['only punctuation finds nothing', ['', '"', '!?', '-', '***', '% _', '🙂', '()', '"" ""']],
    ['only exclusions find nothing', ['-alpha', '-"beta gamma"', '-x*']],
  ])('%s', async (_, queries) => {
    const parley = await openWithTexts({ m1: 'alpha beta gamma! 🙂 100%', m2: '?' });
    for (const query of queries) {
      const { edges, pageInfo } = await search(parley, query);
      expect(edges).toEqual([]);
      expect(pageInfo).toEqual({ hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null });
    }
  });
});
