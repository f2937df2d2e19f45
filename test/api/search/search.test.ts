/** What a search finds: the same messages on every database. */
import { describe, expect, test } from 'vitest';
import { allRowsAt } from '../../support/database/all-rows.js';
import { isInMemory } from '../../support/database/database-kind.js';
import {
  assistantMessage,
  createChat,
  EditMessage,
  Rewind,
  save,
  SaveMessages,
  userMessage,
} from '../../support/chats/operations.js';
import { openParley } from '../../support/server/parley.js';
import { find, openerWithTexts, search } from '../../support/chats/search.js';

const openWithTexts = openerWithTexts();

describe('finds in any surrounding text', () => {
  test.each<[what: string, text: string, found: string[], missed: string[]]>([
    ['whichever the case', 'Meet me in Café NOIR', ['meet', 'MEET', 'noir', 'Me iN'], ['me', 'in', 'oi'].slice(2)],
    ['whichever the accents', 'a Café in São Paulo', ['cafe', 'CAFÉ', 'cafe\u0301', 'sao'], ['caf', 'sa']],
    ['what has accents in the query alone', 'cafe and uber', ['Café', 'über'], []],
    ['letters that fold into two', 'Straße and Æon', ['strasse', 'STRASSE', 'aeon'], ['strase']],
    ['Greek, Cyrillic and Turkish', 'ΟΔΟΣ и Ёлка, İstanbul', ['οδος', 'οδοσ', 'ёлка', 'ЁЛКА', 'istanbul'], ['одос']],
    ['fullwidth letters', 'ｆｕｌｌ ｗｉｄｔｈ １２', ['full', 'width', '12'], ['1']],
    ['English word forms', 'She was running to the cities', ['run', 'runs', 'Running', 'city', 'cities'], ['runway']],
    ['other forms of what is written short', 'a run, one city', ['running', 'runs', 'cities'], ['runner']],
    ['Chinese', '我在北京大学读书', ['北京', '京大', '北京大学', '大学读书'], ['北大', '京北', '北京学']],
    ['Japanese', 'カフェで待っています', ['カフェ', 'ｶﾌｪ', '待って', 'います'], ['カェ', '待す']],
    ['Korean', '안녕하세요 세계', ['안녕', '하세요', '세계'], ['안하', '요세']],
    ['Chinese beyond the basic plane', '𠮷野家で', ['𠮷野', '野家', '𠮷野家'], ['𠮷家']],
    [
      'letters beside Chinese without a space',
      '我用iPhone15手机啊',
      ['iphone15', '我用', '手机', 'iPhone15手机'],
      ['15手', 'phone'],
    ],
    ['words in any order, and all of them', 'alpha beta gamma', ['gamma alpha', 'alpha beta gamma'], ['alpha delta']],
    [
      'phrases',
      'alpha beta gamma',
      ['"alpha beta"', '"beta gamma"', '"Alpha Beta" gamma'],
      ['"alpha gamma"', '"beta alpha"'],
    ],
    ['phrases of word forms', 'two running shoes', ['"run shoe"', '"two runs"'], ['"shoes running"']],
    ['phrases across what is no word', 'alpha, (beta)! gamma', ['"alpha beta"', '"beta gamma"'], ['"alpha gamma"']],
    ['phrases of Chinese', '北京 大学', ['"北京 大学"', '北京 大学'], ['北京大学']],
    [
      'what is not excluded',
      'alpha beta',
      ['alpha -gamma', 'alpha -"beta alpha"', '-gamma beta'],
      ['alpha -beta', '-"alpha beta" alpha', 'alpha -bet*', '-beta'],
    ],
    [
      'beginnings of words',
      'Extraordinary things',
      ['extra*', 'e* t*', 'extraordinary*', 'THING*'],
      ['ordinary*', 'extraord', 'x*'],
    ],
    [
      'beginnings of words as they are written',
      'happily running',
      ['happil*', 'runn*', 'running*', 'happi*'],
      ['runned*'],
    ],
    [
      'words in punctuation',
      "C++ isn't 50% off_line (or #1): a/b@c.org",
      ['c++', "isn't", '50%', 'off_line', '#1', 'c.org', 'a/b'],
      ['c.com', "is't"],
    ],
    ['numbers', 'Pi is 3.14159, room 101', ['3.14159', '101', '14159', 'room 101'], ['3.14', '10', '1014']],
    [
      'operators of other languages as words',
      'this and that or not near',
      ['this AND that', 'that OR not', 'NOT near'],
      ['this NEAR that NOR', 'this XOR that'],
    ],
  ])('%s', async (_, text, found, missed) => {
    const parley = await openWithTexts({ other: 'nothing to see', it: text, another: 'lorem ipsum' });
    for (const query of found) expect({ query, found: await find(parley, query) }).toEqual({ query, found: ['it'] });
    for (const query of missed) expect({ query, found: await find(parley, query) }).toEqual({ query, found: [] });
  });

  test('the words that a search in the text itself finds', async () => {
    const texts = { a: 'Where do I begin?', b: '東京タワー 333m', c: 'rm -rf "/" && echo 100%', d: 'ça va: ½ ﬁne' };
    const parley = await openWithTexts(texts);
    for (const [id, text] of Object.entries(texts)) {
      // Its quotes and minus signs apart.
      expect(await find(parley, text.replace(/["-]/g, ' '))).toEqual([id]);
      expect(await find(parley, `"${text.replaceAll('"', '')}"`)).toEqual([id]);
    }
  });

  test('words at either end of a text of a megabyte, and in the middle of one', async () => {
    const words = Array.from({ length: 120_000 }, (_, n) => `w${n.toString(36)}`);
    const parley = await openWithTexts({ long: `first ${words.join(' ')} last`, short: 'wnothing' });
    for (const query of ['first', 'last', 'w0', `w${(60_000).toString(36)}`, 'first last', '"w1 w2 w3"', 'firs*']) {
      expect({ query, found: await find(parley, query) }).toEqual({ query, found: ['long'] });
    }
    expect(await find(parley, '"first last"')).toEqual([]);
    expect(await find(parley, 'first -last')).toEqual([]);
  });
});

describe('does not find', () => {
  test('keys, types and other parts of the surrounding JSON', async () => {
    const parley = await openParley();
    await createChat(parley, 'c');
    const data = {
      id: 'ui1',
      role: 'assistant',
      parts: [
        { type: 'text', text: 'visible', state: 'done' },
        { type: 'reasoning', text: 'hidden' },
        { type: 'tool-weather', input: { city: 'lisbon' } },
      ],
      metadata: { secret: 'classified' },
    };
    await save(parley, { chatId: 'c', messages: [{ id: 'm', name: 'assistant', type: 'ui', content: { data } }] });
    expect(await find(parley, 'visible')).toEqual(['m']);
    for (const query of ['parts', 'role', 'text', 'type', 'state', 'done', 'assistant', 'ui', 'ui1', 'id', 'm', 'c']) {
      expect({ query, found: await find(parley, query) }).toEqual({ query, found: [] });
    }
    for (const query of [
      'hidden',
      'reasoning',
      'tool',
      'weather',
      'lisbon',
      'metadata',
      'secret',
      'classified',
      't*',
    ]) {
      expect({ query, found: await find(parley, query) }).toEqual({ query, found: [] });
    }
  });

  test('titles, names and other metadata of chats', async () => {
    const parley = await openParley();
    await parley.ask(`mutation {
      createChat(input: { id: "c", title: "Quarterly", metadata: { tag: "urgent" } }) { __typename }
      btw: saveMessages(input: { chatId: "c", messages: [{ name: "user", content: { text: "body" } }] }) { __typename }
      rewind: btw(input: { chatId: "c", branchName: "aside" }) { __typename }
    }`);
    for (const query of ['quarterly', 'urgent', 'tag', 'aside', 'main', 'user'])
      expect(await find(parley, query)).toEqual([]);
    expect(await find(parley, 'body')).toHaveLength(1);
  });

  test('messages without text', async () => {
    const parley = await openParley();
    await createChat(parley, 'c');
    const contents = [42, true, [], {}, ['text'], { parts: [] }, { parts: null }, { text: 'text' }, ''];
    const messages = contents.map((data, n) => ({ id: `m${n}`, name: 'user', type: 'message', content: { data } }));
    await save(parley, { chatId: 'c', messages });
    for (const query of ['42', 'true', 'text', 'parts', 't*']) expect(await find(parley, query)).toEqual([]);
  });
});

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
    ['a lonely minus', '- -- --- alpha'],
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
    ['words that are none', 'null undefined NaN true __proto__ constructor'],
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

describe('a message is found', () => {
  const text = (result: string[]) => result.toSorted();

  test('on any branch', async () => {
    const parley = await openWithTexts({ m1: 'root word', m2: 'trunk word' });
    await parley.run(Rewind, { input: { chatId: 'c', messageId: 'm1', branchName: 'side' } });
    await save(parley, { chatId: 'c', messages: [assistantMessage('m3', 'side word')] });
    await parley.run(Rewind, { input: { chatId: 'c', messageId: 'm1', branchName: 'empty' } });
    expect(text(await find(parley, 'word'))).toEqual(['m1', 'm2', 'm3']);
    expect(await find(parley, 'side')).toEqual(['m3']);
  });

  test('and its edits, each by its own words', async () => {
    const parley = await openWithTexts({ m1: 'original wording', m2: 'answer' });
    const { editMessage } = await parley.run(EditMessage, {
      input: { chatId: 'c', messageId: 'm1', content: { text: 'edited wording' } },
    });
    if (editMessage.__typename !== 'SaveMessagesPayload') throw new Error(editMessage.message);
    const edit = editMessage.messages[0]!.id;
    expect(await find(parley, 'original')).toEqual(['m1']);
    expect(await find(parley, 'edited')).toEqual([edit]);
    expect(text(await find(parley, 'wording'))).toEqual(text(['m1', edit]));
    const saved = await save(parley, { chatId: 'c', branch: 'main', messages: [userMessage('m2', 'retort')] });
    expect(await find(parley, 'answer')).toEqual(['m2']);
    expect(await find(parley, 'retort')).toEqual([saved.messages[0]?.id]);
  });

  test('for any way of saving: after newer messages, on a fork, or as a retry', async () => {
    const parley = await openWithTexts({ m1: 'one', m2: 'two' });
    const behind = { chatId: 'c', expectedHeadId: 'm1' };
    await save(parley, { ...behind, messages: [userMessage('appended', 'needle')], onConflict: 'APPEND' });
    await save(parley, { ...behind, messages: [userMessage('forked', 'needle')], onConflict: 'FORK' });
    await save(parley, {
      chatId: 'c',
      branch: 'main',
      messages: [userMessage('m1', 'one'), userMessage('new', 'needle')],
    });
    for (let again = 0; again < 2; again++) {
      await save(parley, { chatId: 'c', branch: 'main', messages: [userMessage('twice', 'needle')] });
    }
    expect(text(await find(parley, 'needle'))).toEqual(['appended', 'forked', 'new', 'twice']);
    expect(await find(parley, 'one')).toEqual(['m1']);
  });

  test('as soon as its save is answered, for any number at once', async () => {
    const parley = await openWithTexts({ m1: 'first' });
    const ids = Array.from({ length: 40 }, (_, n) => `w${n}`);
    await Promise.all(
      ids.map(async (id) => {
        await save(parley, { chatId: 'c', messages: [userMessage(id, `needle ${id}`)] });
        expect(await find(parley, id)).toEqual([id]);
      }),
    );
    expect(text(await find(parley, 'needle'))).toEqual(ids.toSorted());
  });

  test('not when its save was refused', async () => {
    const parley = await openWithTexts({ m1: 'one', m2: 'two' });
    await createChat(parley, 'other');
    const messages = [userMessage('x', 'needle')];
    const refused = await Promise.all([
      parley.run(SaveMessages, { input: { chatId: 'c', messages, expectedHeadId: 'm1', onConflict: 'REJECT' } }),
      parley.run(SaveMessages, {
        input: { chatId: 'other', messages: [...messages, userMessage('m1', 'taken')], onConflict: 'REJECT' },
      }),
      parley.run(SaveMessages, {
        input: { chatId: 'c', messages: [...messages, userMessage('y', '\0')], onConflict: 'REJECT' },
      }),
      parley.run(SaveMessages, { input: { chatId: 'nowhere', messages, onConflict: 'REJECT' } }),
    ]);
    expect(refused.map(({ saveMessages }) => saveMessages.__typename)).toEqual([
      'HeadConflictError',
      'AlreadyExistsError',
      'InvalidInputError',
      'NotFoundError',
    ]);
    expect(await find(parley, 'needle')).toEqual([]);
    expect(await find(parley, 'taken')).toEqual([]);
  });

  test('not after its chat was deleted, and again in a new chat', async () => {
    const parley = await openWithTexts({ m1: 'needle one', m2: 'needle two' });
    await createChat(parley, 'other');
    await save(parley, { chatId: 'other', messages: [userMessage('n1', 'needle three')] });
    await parley.ask('mutation { deleteChat(input: { id: "c" }) { __typename } }');
    expect(await find(parley, 'needle')).toEqual(['n1']);
    expect(await find(parley, 'one')).toEqual([]);
    if (!isInMemory) {
      const { texts } = await allRowsAt(parley.databaseUrl);
      expect(texts.map((row) => row.messageId)).toEqual(['n1']);
    }
    await createChat(parley, 'c');
    await save(parley, { chatId: 'c', messages: [userMessage('m1', 'needle four')] });
    expect(text(await find(parley, 'needle'))).toEqual(['m1', 'n1']);
    expect(await find(parley, 'one')).toEqual([]);
  });
});

describe('a snippet', () => {
  const snippetOf = async (text: string, query: string) => {
    const parley = await openWithTexts({ m: text });
    return (await search(parley, query)).hits[0]?.snippet;
  };

  test.each([
    ['Running is fun', 'run', '<mark>Running</mark> is fun'],
    [
      '<b>Tom & "Jerry"</b> ran \'off\'',
      'jerry',
      '&lt;b&gt;Tom &amp; &quot;<mark>Jerry</mark>&quot;&lt;/b&gt; ran &#39;off&#39;',
    ],
    ['<mark>not marked</mark> but this', 'this', '&lt;mark&gt;not marked&lt;/mark&gt; but <mark>this</mark>'],
    ['one two  three\n\nfour', '"two three"', 'one <mark>two three</mark> four'],
    ['我在北京大学', '北京大学', '我在<mark>北京大学</mark>'],
    ['CAFÉ culture', 'cafe cultur*', '<mark>CAFÉ</mark> <mark>culture</mark>'],
  ])('of %j for %j', async (text, query, expected) => {
    expect(await snippetOf(text, query)).toBe(expected);
  });

  test('is the part of a long text around the match', async () => {
    const filler = Array.from({ length: 500 }, (_, n) => `filler${n}`).join(' ');
    const snippet = await snippetOf(`${filler} <i>needle</i> ${filler}`, 'needle');
    expect(snippet).toMatch(/^…filler.* &lt;i&gt;<mark>needle<\/mark>&lt;\/i&gt; filler.*…$/);
    expect(snippet?.length).toBeLessThan(400);
  });
});
