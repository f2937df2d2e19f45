/** The words, phrases and snippets that a search finds. */
import { describe, expect, test } from 'vitest';
import { graphql } from '../../generated/graphql/gql.js';
import { createChat, save } from '../../support/chats/operations.js';
import { openParley } from '../../support/server/parley.js';
import { find, openerWithTexts } from '../../support/chats/search.js';

const openWithTexts = openerWithTexts();

describe('finds in any surrounding text', () => {
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
  const EXCERPT = graphql(`
    query Excerpt {
      search(query: "needle") {
        edges {
          node {
            snippet
            excerpt {
              text
              matches {
                start
                end
              }
            }
          }
        }
      }
    }
  `);
  const { snippet, excerpt } = (await parley.run(EXCERPT)).search.edges[0]!.node;
  expect(snippet).toMatch(/^…filler.* &lt;i&gt;<mark>needle<\/mark>&lt;\/i&gt; filler.*…$/);
  expect(snippet.length).toBeLessThan(400);
  const { text, matches } = excerpt;
  expect(text).toMatch(/^…filler.* <i>needle<\/i> filler.*…$/);
  expect(matches.map(({ start, end }) => text.slice(start, end))).toEqual(['needle']);
});
