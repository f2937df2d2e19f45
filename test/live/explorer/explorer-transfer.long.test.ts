/** Imports and exports in the explorer. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeZip } from '../../features/imports/zips/write-zip.js';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { isInView, messageItem, openDemo, violations } from './explorer-window.js';

/** A conversation of ChatGPT with its custom instructions. */
const HIDDEN = {
  id: 'travel',
  title: 'Travel',
  create_time: 1_700_000_000,
  current_node: 'b',
  mapping: {
    a: node('a', null, ['b'], 'I live in Porto', { is_visually_hidden_from_conversation: true }),
    b: node('b', 'a', [], 'Where to?', {}),
  },
};

function node(id: string, parent: string | null, children: string[], text: string, metadata: object) {
  const content = { content_type: 'text', parts: [text] };
  return { id, parent, children, message: { id, author: { role: 'user' }, create_time: 1, content, metadata } };
}

describe.skipIf(chromiumPath === undefined)(`in Chromium${noChromium}`, () => {
  const browser = shareBrowser();

  const demo = (path?: string) => openDemo(browser(), path);

  it('a file is imported, and a chat is exported as a file', async () => {
    const { page, go } = await demo('/chats/demo/thread');
    const lines = [
      '{"id":"1","name":"user","content":"Is it open?"}',
      '{"id":"2","parentId":"1","name":"assistant","content":"Until six."}',
    ];
    await page
      .locator('#import-files')
      .setInputFiles({ name: 'history.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from(lines.join('\n')) });
    const report = page.getByRole('status', { name: 'Import of history.jsonl' });
    await report.getByText('1 chat', { exact: true }).waitFor();
    await report.getByRole('link').first().click();
    await messageItem(page, 'Until six.').waitFor();

    const thirty = Array.from(
      { length: 30 },
      (_, n) => `{"id":"t${n}","conversations":[{"from":"human","value":"${n}"}]}`,
    );
    const more = { name: 'more.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from(thirty.join('\n')) };
    await page.locator('#import-files').setInputFiles(more);
    await page.locator('.report').getByText('10 more').waitFor();
    await page.locator('.report').getByRole('link', { name: 'Untitled, line 2', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Close' }).evaluate(isInView)).toBe(true);
    await page.locator('#import-files').setInputFiles(more);
    await page.getByText('30 chats, 30 of them unchanged').waitFor();

    const cut = { name: 'cut.json', mimeType: 'application/json', buffer: Buffer.from('[{"mapping": 5}]') };
    await page.locator('#import-files').setInputFiles(cut);
    await page.locator('.fault', { hasText: /^conversation 1: / }).waitFor();

    const many = Array.from(
      { length: 20_000 },
      (_, n) => `{"id":"s${n}","conversations":[{"from":"human","value":"${n}"}]}`,
    );
    const long = { name: 'long.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from(many.join('\n')) };
    await page.locator('#import-files').setInputFiles(long);
    const reading = await page.waitForFunction(() => {
      const shown = document.querySelector('.report-progress');
      return (
        shown !== null &&
        /^Reading [\d.]+ of 1\.3 MB$/.test(shown.textContent) &&
        shown.querySelector('progress')!.position
      );
    });
    expect(await reading.jsonValue()).toBeGreaterThan(0.5);
    expect(await reading.jsonValue()).toBeLessThan(1);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.locator('.fault', { hasText: 'Stopped: the chats above are imported.' }).waitFor();

    await go('/chats/demo/thread');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Export' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    const text = readFileSync(await (await download).path(), 'utf8');
    expect(JSON.parse(text.slice(0, text.indexOf('\n')))).toMatchObject({ parley: 1, chat: { id: 'demo' } });

    expect(await page.getByLabel('Zip with a file for each chat').count()).toBe(0);
    await page.getByLabel('Format').selectOption('markdown');
    await page.getByText('hidden messages').waitFor();
    await page.getByLabel('Paths').selectOption('leaves');
    await page.getByRole('combobox', { name: 'Chats' }).selectOption('All my chats');
    await page.getByLabel('Zip with a file for each chat').check();
    const zipped = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    expect((await zipped).suggestedFilename()).toBe('chats.zip');
  });

  it('several files are imported one after the other, with their errors, warnings and skipped parts', async () => {
    const { page, complaints } = await demo();
    const fileOf = (name: string, content: string | Uint8Array) => ({
      name,
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(content),
    });
    const twice = [1, 2].map((n) => `{"id":"same","name":"user","content":"Question ${n}"}`).join('\n');
    const archive = writeZip({ 'data/chats.json': JSON.stringify([HIDDEN]), 'data/notes.json': '{"balance": 1}' });
    await page
      .locator('#import-files')
      .setInputFiles([
        fileOf('cut.json', '[{"mapping": 5}]'),
        fileOf('twice.jsonl', twice),
        fileOf('all.zip', archive),
      ]);
    const report = (name: string) => page.getByRole('status', { name: `Import of ${name}` });
    for (const name of ['cut.json', 'twice.jsonl', 'all.zip']) {
      await report(name).getByRole('button', { name: 'Close' }).waitFor();
    }
    await report('cut.json').getByText('1 error', { exact: true }).waitFor();
    await report('twice.jsonl').getByText('1 warning', { exact: true }).click();
    await report('twice.jsonl').locator('.warning').first().waitFor();
    await report('all.zip').getByText('1 skipped part', { exact: true }).click();
    await report('all.zip').locator('.skipped', { hasText: 'notes.json' }).waitFor();
    expect(await page.locator('.report').count()).toBe(3);
    await page.getByText('3 of 3 files, 2 chats, 1 failed', { exact: true }).waitFor();
    expect(await page.locator('.imports-panel progress').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await report('cut.json').getByRole('button', { name: 'Close' }).click();
    expect(await page.locator('.report').count()).toBe(2);

    // A hidden message is not shown as text of the user.
    await report('all.zip').getByRole('link', { name: 'Travel' }).click();
    await messageItem(page, 'Where to?').waitFor();
    expect(await page.getByText('I live in Porto').count()).toBe(0);
    await page.getByText('Hidden message').click();
    await page.getByText('I live in Porto').waitFor();
    expect(complaints).toEqual([]);
  });

  it('files of a folder are imported, others are left out, and a failed import is retried', async () => {
    const { page } = await demo();
    const folder = mkdtempSync(join(tmpdir(), 'parley-folder-'));
    mkdirSync(join(folder, 'inner'));
    writeFileSync(join(folder, 'inner', 'a.jsonl'), '{"id":"1","name":"user","content":"Found in a folder"}');
    writeFileSync(join(folder, 'photo.png'), 'no image');
    await page.getByRole('button', { name: 'Import', exact: true }).press('Enter');
    const panel = page.getByRole('region', { name: 'Imports' });
    await panel.getByRole('button', { name: 'Choose a folder' }).waitFor();
    await page.locator('#import-folder').setInputFiles(folder);
    const report = panel.getByRole('status', { name: /^Import of .*inner\/a\.jsonl$/ });
    await report.getByText('Done').waitFor();
    await panel.getByText('1 file left out').waitFor();
    expect(await violations(page)).toEqual([]);
    rmSync(folder, { recursive: true });

    await page.route('**/import?*', (route) => route.abort(), { times: 1 });
    const buffer = Buffer.from('{"id":"2","name":"user","content":"Second try"}');
    await page.locator('#import-files').setInputFiles({ name: 'again.jsonl', mimeType: 'application/jsonl', buffer });
    const again = panel.getByRole('status', { name: 'Import of again.jsonl' });
    await again.getByText('Failed', { exact: true }).waitFor();
    await again.getByRole('button', { name: 'Retry' }).press('Enter');
    await again.getByText('Done').waitFor();
    await again.getByRole('link').waitFor();
    await panel.press('Escape');
    await panel.waitFor({ state: 'detached' });
  });

  it('a file of another kind is refused in plain words, and another one is offered', async () => {
    const { page, go } = await demo();
    const choose = (name: string, content: string) =>
      page
        .locator('#import-files')
        .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) });
    await choose('holiday.json', '{"photos": 12}');
    const panel = page.getByRole('region', { name: 'Imports' });
    const report = panel.getByRole('status', { name: 'Import of holiday.json' });
    await report
      .getByText(/^This is not a chat export that Parley knows\. Parley reads exports of ChatGPT, Claude,/)
      .waitFor();
    await report.getByText('line 1: no supported format has the fields "photos"').waitFor();
    expect(await panel.getByRole('progressbar').count()).toBe(0);
    expect(await panel.getByRole('button').evaluateAll((all) => all.map((each) => each.textContent))).toEqual([
      '',
      'Choose another file',
      'Close',
    ]);
    const choosing = page.waitForEvent('filechooser');
    await report.getByRole('button', { name: 'Choose another file' }).press('Enter');
    const line = Buffer.from('{"id":"1","name":"user","content":"The right one"}');
    await (await choosing).setFiles([{ name: 'right.jsonl', mimeType: 'application/jsonl', buffer: line }]);
    await panel.getByText('Done', { exact: true }).waitFor();

    // The buttons of the first page are the same.
    await go('');
    const files = page.getByRole('button', { name: 'Choose files' });
    await expect.poll(() => files.count()).toBe(1);
    await choose('empty.json', '[]');
    await panel.getByText(/^This file contains no chats\./).waitFor();
    await choose('photo.zip', 'no archive');
    await panel.getByRole('button', { name: 'Choose another file' }).waitFor();
  });

  it('several selected chats are exported into one file', async () => {
    const { page, ask } = await demo();
    await ask('mutation ($input: CreateChatInput!) { createChat(input: $input) { __typename } }', {
      input: { id: 'b', title: 'Bread' },
    });
    await page.getByRole('button', { name: 'Actions for Bread' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Select', exact: true }).press('Enter');
    await page.getByLabel('Select A weekend in Portugal').check();
    await page.getByRole('button', { name: 'Export the selected chats' }).click();
    await page.getByText('drafts that are being written').waitFor();
    expect(await violations(page)).toEqual([]);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    const lines = readFileSync(await (await download).path(), 'utf8')
      .trimEnd()
      .split('\n');
    const ids = lines.flatMap((line) => (JSON.parse(line) as { chat?: { id: string } }).chat?.id ?? []);
    expect(ids.sort()).toEqual(['b', 'demo']);
  });

  it('an import shows the progress of the upload, and can be stopped while it waits', async () => {
    const { page } = await demo();
    const client = await page.context().newCDPSession(page);
    await client.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: 1_000_000,
    });
    const buffer = Buffer.from(`{"id":"1","name":"user","content":"${'x'.repeat(900_000)}"}\n`.padEnd(3_000_000, ' '));
    const large = { name: 'large.jsonl', mimeType: 'application/jsonl', buffer };
    await page.evaluate(() => {
      const seen = Object.assign(window, { seen: [] as [text: string, value: number][] }).seen;
      new MutationObserver(() => {
        const [bar] = document.querySelectorAll<HTMLProgressElement>('.report progress');
        if (bar !== undefined) seen.push([bar.parentElement!.textContent, bar.position]);
      }).observe(document, { attributes: true, characterData: true, childList: true, subtree: true });
    });
    await page.locator('#import-files').setInputFiles([large, { ...large, name: 'next.jsonl' }]);
    const first = page.getByRole('status', { name: 'Import of large.jsonl' });
    const second = page.getByRole('status', { name: 'Import of next.jsonl' });
    await first.getByText(/^Sending [\d.]+ of 3 MB$/).waitFor();
    // Until the first chat, there is nothing to count.
    expect(await page.locator('.imports-panel').getByText('0 chats').count()).toBe(0);
    await second.getByText('Queued').waitFor();
    await second.getByRole('button', { name: 'Stop' }).click();
    await second.getByRole('button', { name: 'Close' }).waitFor();
    await first.getByText('1 chat', { exact: true }).waitFor();
    await second.getByText('0 chats', { exact: true }).waitFor();
    // The upload is one half of the file; an unknown share is -1.
    const seen = await page.evaluate(() => (window as unknown as { seen: [string, number][] }).seen);
    const sending = seen.filter(([text]) => text.startsWith('Sending')).map(([, share]) => share);
    expect(sending.length).toBeGreaterThan(0);
    expect(sending).toEqual(sending.toSorted((one, other) => one - other));
    expect(sending.at(-1)).toBeLessThan(0.5);
    expect(seen).toContainEqual(['Waiting for the server…', -1]);
  });
});
