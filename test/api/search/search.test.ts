/** The words, phrases and snippets that a search finds. */
import { describe, expect, test } from 'vitest';
import { createChat, save } from '../../support/chats/operations.js';
import { openParley } from '../../support/server/parley.js';
import { find, openerWithTexts, search } from '../../support/chats/search.js';

const openWithTexts = openerWithTexts();

describe('finds in any surrounding text', () => {
  test.each<[what: string, text: string, found: string[], missed: string[]]>([
    ['any case', 'Meet me in Café NOIR', ['meet', 'MEET', 'noir', 'Me iN'], ['me', 'in', 'oi'].slice(2)],
    ['any accents', 'a Café in São Paulo', ['cafe', 'CAFÉ', 'cafe\u0301', 'sao'], ['caf', 'sa']],
    ['words with accents only in the query', 'cafe and uber', ['Café', 'über'], []],
    ['letters that fold into two', 'Straße and Æon', ['strasse', 'STRASSE', 'aeon'], ['strase']],
    ['Greek, Cyrillic and Turkish', 'ΟΔΟΣ и Ёлка, İstanbul', ['οδος', 'οδοσ', 'ёлка', 'ЁЛКА', 'istanbul'], ['одос']],
    ['fullwidth letters', 'ｆｕｌｌ ｗｉｄｔｈ １２', ['full', 'width', '12'], ['1']],
    ['English word forms', 'She was running to the cities', ['run', 'runs', 'Running', 'city', 'cities'], ['runway']],
    ['longer forms of short words', 'a run, one city', ['running', 'runs', 'cities'], ['runner']],
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
    ['all words in any order', 'alpha beta gamma', ['gamma alpha', 'alpha beta gamma'], ['alpha delta']],
    [
      'phrases',
      'alpha beta gamma',
      ['"alpha beta"', '"beta gamma"', '"Alpha Beta" gamma'],
      ['"alpha gamma"', '"beta alpha"'],
    ],
    ['phrases of word forms', 'two running shoes', ['"run shoe"', '"two runs"'], ['"shoes running"']],
    ['phrases across punctuation', 'alpha, (beta)! gamma', ['"alpha beta"', '"beta gamma"'], ['"alpha gamma"']],
    ['phrases of Chinese', '北京 大学', ['"北京 大学"', '北京 大学'], ['北京大学']],
    [
      'texts without excluded words',
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
      'prefixes of words as they are written',
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

  test('the same words as a plain search in the text', async () => {
    const texts = { a: 'Where do I begin?', b: '東京タワー 333m', c: 'rm -rf "/" && echo 100%', d: 'ça va: ½ ﬁne' };
    const parley = await openWithTexts(texts);
    for (const [id, text] of Object.entries(texts)) {
      // Without its quotes and minus signs.
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

test('a snippet is the part of a long text around the match, with escaped markup', async () => {
  const filler = Array.from({ length: 500 }, (_, n) => `filler${n}`).join(' ');
  const parley = await openWithTexts({ m: `${filler} <i>needle</i> ${filler}` });
  const snippet = (await search(parley, 'needle')).hits[0]?.snippet;
  expect(snippet).toMatch(/^…filler.* &lt;i&gt;<mark>needle<\/mark>&lt;\/i&gt; filler.*…$/);
  expect(snippet?.length).toBeLessThan(400);
});
