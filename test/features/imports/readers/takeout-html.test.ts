/** Activities of Gemini in the HTML of Google Takeout. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findValues, type FoundValue, openSourceFile } from '@parley/interchange/server';
import { shownTime } from '../../../../packages/interchange/src/files/takeout/shown-time.js';
import { importFile } from '../../../../src/features/imports/import-file.js';
import { databaseForEach } from '../../../support/database/database-scope.js';
import { chatLines } from './chat-lines.js';
import { importContent, importedChats, onlyChat } from '../imported-chats.js';
import { writeZip } from '../zips/write-zip.js';
import { WHEN, activity, HEAD, page } from './takeout-pages.js';

const database = databaseForEach();

const asked = (prompt: string, when = WHEN) =>
  activity(`Prompted&nbsp;${prompt}<br>${when}<br><p>Leeks &amp; cold.</p>`);

async function imported(content: unknown) {
  const report = await importContent(database, content);
  const chats = Object.values(await importedChats(database));
  return { report, titles: chats.map(({ title }) => title).sort(), chats };
}

async function* bytesOf(chunks: Iterable<string | Buffer>): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

async function values(chunks: Iterable<string | Buffer>): Promise<FoundValue[]> {
  const all: FoundValue[] = [];
  for await (const value of findValues(bytesOf(chunks))) all.push(value);
  return all;
}

describe('an activity', () => {
  it('becomes a chat of its prompt and answer, as from JSON', async () => {
    const { report, chats } = await imported(page(asked('A &lt;cold&gt; soup?\nToday')));
    expect([report.failures.kept, report.warnings.kept]).toEqual([[], []]);
    expect(chats.map(chatLines)).toEqual([
      [
        'A <cold> soup?; main: answer',
        'prompt < - user: "A <cold> soup?\\nToday"',
        'answer < prompt assistant: "Leeks & cold."',
      ],
    ]);
    const [{ messages, metadata }] = chats as [(typeof chats)[0]];
    expect(messages.map(({ createdAt }) => createdAt)).toEqual(Array(2).fill(Date.UTC(2025, 10, 5, 9, 21, 33)));
    expect(messages[1]?.data.metadata['original']).toEqual({ safeHtmlItem: [{ html: '<p>Leeks &amp; cold.</p>' }] });
    expect(metadata.import['source']).toBe('gemini-takeout');
  });

  it('is imported once', async () => {
    await imported(page(asked('One?'), asked('Two?')));
    const { report } = await imported(page(asked('One?'), asked('Two?')));
    expect(report.conversations).toEqual({ imported: 0, updated: 0, unchanged: 2 });
  });

  it.each([
    ['Aplikacije Gemini', 'Poslali ste poziv:&nbsp;A soup?', '5. nov. 2025, 10:21:33 CET'],
    ['Gemini アプリ', '送信したメッセージ:&nbsp;A soup?', '2025/11/05 18:21:33 JST'],
    ['Gemini 應用程式', '已給予提示&nbsp;A soup?', '2025年11月5日 下午5:21:33 GMT+8'],
  ])('of %s has only the prompt, and its time', async (header, title, when) => {
    const { chats, report } = await imported(page(activity(`${title}<br>${when}<br><p>Leeks</p>`, header)));
    expect(report.warnings.kept).toEqual([]);
    expect(chats.map(({ title, createdAt }) => [title, createdAt])).toEqual([
      ['A soup?', Date.UTC(2025, 10, 5, 9, 21, 33)],
    ]);
  });

  it('has the attachments of the prompt from the zip, with any folder names', async () => {
    const attached =
      'Poslali ste poziv:&nbsp;A soup?<br>1 priložena datoteka.<br>-&nbsp; <a href="list-1e98.txt">list.txt</a><br>' +
      '5. nov. 2025, 10:21:33 CET<br><p>Leeks</p>';
    const link = '<a href="https://gemini.google.com/app/c1">https://gemini.google.com/app/c1</a>';
    const shown = page(
      activity(attached, 'Aplikacije Gemini', '<img src="list-1e98.txt">', `<b>Podrobnosti:</b> ${link}`),
    );
    const folder = 'Takeout/Moja dejavnost/Aplikacije Gemini';
    await importContent(
      database,
      writeZip({ [`${folder}/Moja_dejavnost.html`]: shown, [`${folder}/list-1e98.txt`]: 'Leeks' }),
    );
    const { messages } = await onlyChat(database);
    expect(messages[0]?.data.parts).toEqual([
      { type: 'text', text: 'A soup?' },
      { type: 'data-attachment', data: { url: 'list-1e98.txt', name: 'list.txt' } },
      { type: 'file', mediaType: 'text/plain', filename: 'list.txt', url: 'data:text/plain;base64,TGVla3M=' },
    ]);
    expect(messages[0]?.data.metadata['original']).toMatchObject({
      details: [{ url: 'https://gemini.google.com/app/c1' }],
    });
  });

  it('with an unreadable time is reported, and differs from one with an equal text', async () => {
    const days = ['5. brumaire 2025, 01:34:47 CET', '6. brumaire 2025, 01:34:47 CET'];
    const { report, chats } = await imported(page(...days.map((day) => asked('Go on', day))));
    expect(chats.map(chatLines)).toEqual(
      Array(2).fill(['Go on; main: answer', 'prompt < - user: "Go on"', 'answer < prompt assistant: "Leeks & cold."']),
    );
    expect(report.warnings.kept).toEqual(
      days.map((day, n) => `activity ${n + 1} ("Go on"): its time cannot be read: "${day}"`),
    );
  });

  it('of the search or of YouTube is no conversation', async () => {
    const watched = `Watched&nbsp;<a href="https://www.youtube.com/watch?v=1">Soup</a><br>${WHEN}<br>`;
    const { report, titles } = await imported(
      writeZip({
        'Takeout/My Activity/Gemini Apps/MyActivity.html': page(asked('A soup?')),
        'Takeout/My Activity/YouTube/MyActivity.html': page(activity(watched, 'YouTube')),
        'Takeout/archive_browser.html': '<!DOCTYPE html><html><body>What is here</body></html>',
      }),
    );
    expect([report.failures.kept, titles]).toEqual([[], ['A soup?']]);
    expect(report.notes.kept).toEqual([
      'Takeout/My Activity/YouTube/MyActivity.html contains no conversations',
      'Takeout/archive_browser.html contains no conversations',
    ]);
  });

  it('is found in a folder', async () => {
    const folder = join(database.folder, 'Takeout', 'Meine Aktivitäten', 'Gemini-Apps');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'MeineAktivitäten.html'), page(asked('A soup?')));
    const file = await openSourceFile(join(database.folder, 'Takeout'));
    const report = await importFile(database.store, 'local', file);
    await file.close();
    expect([report.conversations.imported, report.failures.kept]).toEqual([1, []]);
  });
});

describe('a page', () => {
  const titlesOf = (found: FoundValue[]) =>
    found.map((each) => ('fault' in each ? `${each.place}: ${each.fault}` : (each.value as { title: string }).title));

  it('is the same in pieces of any size', async () => {
    const whole = `\ufeff \n<!doctype html>${page(asked('One?'), asked('Zwölf?'), asked('Three?'))}`;
    const expected = await values([whole]);
    expect(titlesOf(expected)).toEqual(['Prompted\u00a0One?', 'Prompted\u00a0Zwölf?', 'Prompted\u00a0Three?']);
    const facts = (found: FoundValue[]) => found.map((each) => 'value' in each && [each.place, each.value]);
    for (const size of [1, 7, 64]) {
      const bytes = Buffer.from(whole);
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
        bytes.subarray(n * size, (n + 1) * size),
      );
      expect(facts(await values(pieces))).toEqual(facts(expected));
    }
  });

  it('that is truncated is reported, and the activities before are imported', async () => {
    const whole = page(asked('One?'), asked('Two?'));
    const fault = 'activity 2: it breaks off before its end; nothing after it was read';
    const upTo = (mark: string) => whole.slice(0, whole.lastIndexOf(mark));
    const one = 'Prompted\u00a0One?';
    expect(titlesOf(await values([upTo('cold.')]))).toEqual([one, fault]);
    expect(titlesOf(await values([upTo('Why is')]))).toEqual([one, 'Prompted\u00a0Two?', fault]);
    const { report, titles } = await imported(upTo('cold.'));
    expect([titles, report.failures.kept]).toEqual([['One?'], [fault]]);
  });

  it('with an activity that is nested too deeply or too large has the others', async () => {
    const deep = asked(`Deep?<br>${WHEN}<br>${'<div>'.repeat(800_000)}`);
    function* pieces() {
      yield HEAD + asked('One?') + deep + asked('Two?');
      yield activity('Prompted&nbsp;Large').slice(0, 400);
      for (let n = 0; n < 100; n++) yield 'x'.repeat(100_000);
      yield asked('Three?');
      yield '</div></body></html>';
    }
    expect(titlesOf(await values(pieces()))).toEqual([
      'Prompted\u00a0One?',
      'activity 2: it nests deeper than 2000 elements',
      'Prompted\u00a0Two?',
      'activity 4: it is too large to be read',
      'Prompted\u00a0Three?',
    ]);
  });

  it('with unclosed tags and scripts has separate activities', async () => {
    const answer = '<div><b><script>alert("<br>")</script><p>Leeks &amp; cold.</p>';
    const open = activity(`Prompted&nbsp;One?<br>${WHEN}<br>${answer}`, 'Gemini Apps', 'Shown').replace(
      'cold.</p></div>',
      'cold.</p>',
    );
    const { report, chats } = await imported(page(open, asked('Two\0?')));
    expect(report.failures.kept).toEqual([]);
    expect(report.textsChanged).toBe(1);
    expect(chats.map(chatLines).sort()).toEqual([
      ['One?; main: answer', 'prompt < - user: "One?"', 'answer < prompt assistant: "Leeks & cold."'],
      ['Two\ufffd?; main: answer', 'prompt < - user: "Two\ufffd?"', 'answer < prompt assistant: "Leeks & cold."'],
    ]);
  });

  it('of another kind is refused', async () => {
    const { report } = await imported('<!doctype html><html><body><p>Hello</p></body></html>');
    expect(report.failures.kept).toEqual(["the file: It is HTML, and not that of Takeout's activity"]);
  });

  it('is read one activity at a time', async () => {
    let sent = 0;
    function* pieces() {
      // Without the mark, a sample of other characters decides the encoding.
      yield `\ufeff${HEAD}`;
      for (; sent < 100; sent++) yield asked(`${sent}?`);
      yield '</html>';
    }
    for await (const found of findValues(bytesOf(pieces()))) {
      expect(found.place).toBe(`activity ${sent}`);
      if (sent > 3) break;
    }
  });
});

describe('a time', () => {
  it.each([
    ['Nov 5, 2025, 10:21:33\u202fAM CET', '2025-11-05T09:21:33'],
    ['May 19, 2026, 12:07:02 AM GMT-03:00', '2026-05-19T03:07:02'],
    ['18 Sept 2025, 12:02:52 CEST', '2025-09-18T10:02:52'],
    ['05.11.2025, 10:21:33 MEZ', '2025-11-05T09:21:33'],
    ['13 nov. 2025, 20:10:22 UTC+1', '2025-11-13T19:10:22'],
    ['10 de mai. de 2026, 03:46:09 BRT', '2026-05-10T06:46:09'],
    ['13/11/2025, 20:10:22 WET', '2025-11-13T20:10:22'],
    ['5 lis 2025, 01:34:47 CET', '2025-11-05T00:34:47'],
    ['5. lis 2025. 01:34:47 CET', '2025-10-05T00:34:47'],
    ['4 juli 2026 09:15:00 CEST', '2026-07-04T07:15:00'],
    ['2025. 11. 13. 오후 8:10:22 KST', '2025-11-13T11:10:22'],
    ['2026年6月19日 12:23:08 CST', '2026-06-19T04:23:08'],
    ['Jun 19, 2026, 12:23:08 PM CST', '2026-06-19T18:23:08'],
  ])('%s is read by its language and zone', (shown, expected) => {
    expect(new Date(shownTime(shown) ?? 0).toISOString()).toBe(`${expected}.000Z`);
  });

  it.each([
    'Feb 31, 2025, 10:21:33 AM CET',
    'Nov 5, 2025, 10:21:33 AM XYZ',
    '5. nov. 2025, 25:00:00 CET',
    'at 10:21:33',
  ])('%s is invalid', (shown) => {
    expect(shownTime(shown)).toBeNull();
  });
});
