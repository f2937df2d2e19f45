/** Images and other files in the explorer. */
import { describe, expect, it } from 'vitest';
import { PNG, startFileServer, withFile } from '../../features/files/file-server.js';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { messageItem, openExplorer, rootOf, violations } from './explorer-window.js';

describe.skipIf(chromiumPath === undefined)(`in Chromium${noChromium}`, () => {
  const browser = shareBrowser();

  /** A page in which Ann has signed in, with her chat. */
  async function openAnn(options: Parameters<typeof startFileServer>[0] = {}) {
    const server = await startFileServer(options);
    const ann = await server.as('ann');
    await ann.createChat('a');
    const window = await openExplorer(browser());
    await window.page.goto(`${rootOf(server.url)}#/chats/a/thread`);
    await window.page.getByLabel('Token').fill(ann.token);
    await window.page.getByRole('button', { name: 'Sign in' }).click();
    await window.page.getByText('No messages yet.').waitFor();
    // A thread that loads before the list is refused also sends a request without a token, which Chromium reports.
    const complaints = window.complaints.splice(0).filter((text) => !/ 401 .*\/graphql$/.test(text));
    expect(complaints).toEqual([]);
    return { ...server, ...window, ann };
  }

  it('an image is shown as a thumbnail and opens in its full size; other files are links with their size', async () => {
    const { page, complaints, ann } = await openAnn();
    const photo = await ann.upload(PNG, { name: 'photo.png' });
    const text = await ann.upload('a,b\n'.repeat(3_000), { mediaType: 'text/csv' });
    await ann.save('a', 'm', withFile(String(photo.body['reference'])));
    await ann.save('a', 'n', {
      role: 'user',
      parts: [{ type: 'file', mediaType: 'text/csv', filename: 'table.csv', url: text.body['reference'] }],
    });

    const thumbnail = messageItem(page, 'Look').getByRole('button', { name: 'Open the image photo.png' });
    const isLoaded = () => thumbnail.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth > 0);
    await expect.poll(isLoaded).toBe(true);
    await thumbnail.click();
    const dialog = page.getByRole('dialog', { name: 'photo.png' });
    await dialog.getByRole('img', { name: 'photo.png' }).waitFor();
    expect(await violations(page)).toEqual([]);
    const download = page.waitForEvent('download');
    await dialog.getByRole('link', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toBe('photo.png');
    await page.keyboard.press('Escape');
    await expect.poll(() => dialog.count()).toBe(0);
    await thumbnail.click();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => dialog.count()).toBe(0);

    const link = page.getByRole('link', { name: 'table.csv (12 KB)' });
    expect(await (await fetch((await link.getAttribute('href'))!)).text()).toMatch(/^a,b/);
    expect(complaints).toEqual([]);
  });

  it('files are selected, pasted and dropped with progress, removed, and sent with the message', async () => {
    const { page, complaints, ann } = await openAnn();
    const attachments = page.getByRole('list', { name: 'Attachments' }).getByRole('listitem');
    const photo = { name: 'photo.png', mimeType: 'image/png', buffer: PNG };
    await page.locator('.say input[type=file]').setInputFiles([photo, { ...photo, name: 'unwanted.png' }]);
    await attachments.filter({ hasText: 'unwanted.png' }).getByRole('button', { name: 'Remove unwanted.png' }).click();
    const give = (type: 'paste' | 'drop', name: string) =>
      page.getByLabel('Write a message').evaluate(
        (field, [event, file]) => {
          const data = new DataTransfer();
          data.items.add(new File([`a,b ${file}`], file, { type: 'text/csv' }));
          const init = { bubbles: true, cancelable: true };
          field.dispatchEvent(
            event === 'paste'
              ? new ClipboardEvent(event, { ...init, clipboardData: data })
              : new DragEvent(event, { ...init, dataTransfer: data }),
          );
        },
        [type, name] as const,
      );
    await give('paste', 'pasted.csv');
    await give('drop', 'dropped.csv');
    await expect.poll(() => attachments.allInnerTexts()).toHaveLength(3);
    await page.getByLabel('Write a message').fill('Look at these');
    await expect.poll(() => page.getByRole('progressbar').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send' }).click();

    const message = messageItem(page, 'Look at these');
    await message.getByRole('button', { name: 'Open the image photo.png' }).waitFor();
    for (const name of ['pasted.csv', 'dropped.csv']) await message.getByRole('link', { name }).waitFor();
    await expect.poll(() => attachments.count()).toBe(0);
    expect(await page.locator('.report').count()).toBe(0);
    const { chat } = await ann.ask<{ chat: { activeBranch: { head: { files: { name: string }[] } } } }>(
      '{ chat(id: "a") { activeBranch { head { files { name } } } } }',
    );
    expect(chat.activeBranch.head.files.map(({ name }) => name)).toEqual(['photo.png', 'pasted.csv', 'dropped.csv']);
    expect(complaints).toEqual([]);
  });

  it('a refused file shows its reason, and the message is sent after it is removed', async () => {
    const { page } = await openAnn({ limits: { maxFileBytes: 1_024 } });
    const large = { name: 'large.bin', mimeType: '', buffer: Buffer.alloc(2_000) };
    await page.locator('.say input[type=file]').setInputFiles(large);
    await page.getByRole('alert').filter({ hasText: 'A file may have at most 1024 bytes, not 2000' }).waitFor();
    const field = page.getByLabel('Write a message');
    await field.fill('Without it');
    await field.press('Enter');
    expect(await field.inputValue()).toBe('Without it');
    await page.getByRole('button', { name: 'Remove large.bin' }).click();
    await field.press('Enter');
    await messageItem(page, 'Without it').waitFor();
  });
});
