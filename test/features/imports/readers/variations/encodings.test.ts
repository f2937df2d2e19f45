/** Texts that are not UTF-8 are read in the encoding that their bytes suggest, or refused. */
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readConversations } from '@parley/interchange';
import { databaseForEach } from '../../../../support/database/database-scope.js';
import { importContent, onlyChat } from '../../imported-chats.js';
import { writeZip } from '../../zips/write-zip.js';
import { readTrees } from '../read-trees.js';
import { encodedAs } from './encoded-text.js';

const asked = (text: string) => JSON.stringify([{ id: 'c1', messages: [{ role: 'user', content: text }] }]);

const FRENCH =
  'Les élèves ont étudié la forêt près du château. Où sont les chênes ? Là, derrière l’allée – à côté du pré, pour 5 €.';
const RUSSIAN =
  'Сколько берёз растёт в саду? Вчера я насчитал девять, но сегодня уже не уверен. Может быть, дубы тоже посчитать?';
const JAPANESE = '庭に白樺は何本ありますか。昨日数えたら九本でしたが、表の木は数えていません。';
const CHINESE = '花园里有多少棵白桦树？昨天我数了九棵，但是今天不太确定，请再数一次。';

describe('a text without a mark that is not UTF-8', () => {
  it.each([
    ['windows-1252', FRENCH],
    ['windows-1251', RUSSIAN],
    ['koi8-r', RUSSIAN],
    ['shift_jis', JAPANESE],
    ['euc-jp', JAPANESE],
    ['gb18030', CHINESE],
  ])('is read in %s, which the report names', async (encoding, text) => {
    const { trees, warnings, failures } = await readTrees(encodedAs(encoding, asked(text)));
    expect(failures).toEqual([]);
    expect(trees.map(({ main }) => main)).toEqual([[text]]);
    expect(warnings).toEqual([
      expect.stringMatching(
        new RegExp(
          String.raw`it is not valid UTF-8: byte 0x.. at offset \d+; its bytes suggest ${encoding}, with a confidence of \d+ %, which was used`,
        ),
      ),
    ]);
  });

  it.each<[why: string, bytes: Buffer, offset: number]>([
    ['too few other characters', encodedAs('windows-1252', asked('Café')), 53],
    [
      'an encoding with no detector',
      Buffer.from(
        asked(
          'Les \x8el\x8fves ont \x8etudi\x8e la for\x90t pr\x8fs du ch\x89teau, o\x9d sont les ch\x90nes, derri\x8fre l\x88 rivi\x8fre gel\x8ee, \x88 c\x99t\x8e du pr\x8e',
        ),
        'latin1',
      ),
      54,
    ],
    [
      'bytes of no language',
      Buffer.from(
        asked(Array.from({ length: 60 }, (_, n) => String.fromCharCode(0x80 + ((n * 37) % 128))).join(' ')),
        'latin1',
      ),
      50,
    ],
    ['UTF-8 with a damaged character', Buffer.from(asked(FRENCH)).fill(0xff, 56, 57), 56],
  ])('is refused for %s, with the position of the first bad byte', async (_, bytes, offset) => {
    const { trees, failures } = await readTrees(bytes);
    expect(trees).toEqual([]);
    expect(failures).toEqual([expect.stringMatching(`it is not valid UTF-8: byte 0x.. at offset ${offset}$`)]);
  });

  it('is refused with a mark of UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('\ufeff'), encodedAs('windows-1252', asked(FRENCH))]);
    expect((await readTrees(bytes)).failures).toEqual([expect.stringContaining('it is not valid UTF-8: byte 0xE9')]);
  });

  it('is refused when later bytes are not valid in the encoding', async () => {
    const japanese = encodedAs('shift_jis', asked(JAPANESE.repeat(2000)));
    const bytes = Buffer.concat([japanese.subarray(0, -200), Buffer.from([0xff, 0xff]), japanese.subarray(-200)]);
    const { failures } = await readTrees(bytes);
    expect(failures).toEqual([
      expect.stringMatching(/byte 0x.. at offset 50, nor shift_jis, which its bytes suggest$/),
    ]);
  });

  it.each([1, 3, 1000])('is the same in chunks of %d bytes, after a long text in ASCII', async (size) => {
    const plain = JSON.stringify({ id: 'c0', messages: [{ role: 'user', content: 'Trees. '.repeat(1000) }] });
    const bytes = Buffer.concat([Buffer.from(`${plain}\n`), encodedAs('shift_jis', asked(JAPANESE).slice(1, -1))]);
    async function* chunks() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
    const texts: unknown[] = [];
    for await (const { nodes } of readConversations(chunks())) texts.push(nodes[0]?.content().parts[0]?.['text']);
    expect(texts).toEqual(['Trees. '.repeat(1000), JAPANESE]);
  });

  it('keeps the conversations before a damaged character', async () => {
    const one = (id: string, content: string) => `${JSON.stringify({ id, messages: [{ role: 'user', content }] })}\n`;
    const bytes = Buffer.concat([Buffer.from(one('c0', 'Über')), Buffer.from(one('c1', 'x\xfcx'), 'latin1')]);
    const { trees, failures } = await readTrees(bytes);
    expect([trees.map(({ main }) => main), failures.length]).toEqual([[['Über']], 1]);
  });
});

describe('an import', () => {
  const database = databaseForEach();

  it('warns of the encoding, and knows the file again, also packed', async () => {
    const bytes = encodedAs('windows-1252', asked(FRENCH));
    const first = await importContent(database, bytes);
    expect(first.warnings.kept).toEqual([expect.stringContaining('windows-1252')]);
    expect((await onlyChat(database)).messages[0]?.data.parts).toEqual([{ type: 'text', text: FRENCH }]);
    for (const packed of [bytes, gzipSync(bytes), writeZip({ 'conversations.json': bytes })]) {
      expect((await importContent(database, packed)).conversations).toEqual({ imported: 0, updated: 0, unchanged: 1 });
    }
  });
});
