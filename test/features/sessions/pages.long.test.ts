/** The explorer and GraphiQL share a session of the browser. */
import { describe, expect, it } from 'vitest';
import { openExplorer, rootOf } from '../../live/explorer/explorer-window.js';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { startListening } from '../../support/server/listening-server.js';
import { AUTH, bearer } from '../../support/server/tokens.js';

describe.skipIf(chromiumPath === undefined)(`a session of a browser${noChromium}`, () => {
  const browser = shareBrowser();

  async function openSignedIn() {
    const server = await startListening({ auth: AUTH, demo: true });
    const { page } = await openExplorer(browser());
    await page.goto(rootOf(server.url));
    await page.getByLabel('Token').fill((await bearer('ann', true)).authorization);
    await page.keyboard.press('Enter');
    const chats = page.locator('.chats');
    await chats.waitFor();
    const openTab = async () => {
      const opened = page.waitForEvent('popup');
      await page.evaluate((root) => void window.open(root), rootOf(server.url));
      const tab = await opened;
      await tab.locator('.chats').waitFor();
      return tab;
    };
    return { server, page, chats, openTab };
  }

  it('outlives reloads, and serves new tabs and GraphiQL', async () => {
    const { server, page, chats, openTab } = await openSignedIn();
    await page.reload();
    await chats.waitFor();
    const tab = await openTab();
    await tab.goto(server.url);
    await tab.locator('.graphiql-query-editor').waitFor();
    expect(await tab.evaluate(() => document.cookie)).toBe('');
  });

  it('ends in all tabs when the user signs out', async () => {
    const { page, openTab } = await openSignedIn();
    const tab = await openTab();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await page.getByLabel('Token').waitFor();
    await tab.getByLabel('Token').waitFor();
    await tab.reload();
    await tab.getByLabel('Token').waitFor();
  });
});
