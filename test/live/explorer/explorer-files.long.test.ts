/** Images and other files in the explorer. */
import { describe, expect, it } from 'vitest';
import { PNG, startFileServer, withFile } from '../../files/file-server.js';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { messageItem, openExplorer, rootOf, violations } from './explorer-window.js';

describe.skipIf(chromiumPath === undefined)(`in Chromium${noChromium}`, { timeout: 120_000 }, () => {
  const browser = shareBrowser();

  /** A page in which Ann has signed in, with her chat. */
  async function openAnn() {
    const server = await startFileServer();
    const ann = await server.as('ann');
    await ann.createChat('a');
    const window = await openExplorer(browser());
    await window.page.goto(`${rootOf(server.url)}#/chats/a/thread`);
    await window.page.getByLabel('Token').fill(ann.token);
    await window.page.getByRole('button', { name: 'Sign in' }).click();
    await window.page.getByText('No messages yet.').waitFor();
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
});
