/** The places that links of the explorer open. */
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { messageItem, openDemo } from './explorer-window.js';

describe.skipIf(chromiumPath === undefined)(`places in Chromium${noChromium}`, () => {
  const browser = shareBrowser();

  it.each(['graph', 'search'] as const)(
    'the head of a branch in the %s opens its branch, also for a reply',
    async (from) => {
      const { page, ask, complaints } = await openDemo(browser(), '/chats/demo/split');
      await messageItem(page, 'What do we eat there?').waitFor();
      if (from === 'graph') {
        await page.getByRole('navigation', { name: 'Branches of the graph' }).getByText('packing').press('Enter');
      } else {
        await page.getByLabel('Search', { exact: true }).fill('always');
        await page
          .locator('.chats')
          .getByRole('link', { name: /In Porto, always/ })
          .click();
      }
      await page.getByRole('button', { name: 'packing 7 messages' }).waitFor();
      await page.getByLabel('Write a message').fill('And in Lisbon?');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await messageItem(page, 'And in Lisbon?').locator('time').waitFor();
      await page.getByRole('button', { name: 'packing 8 messages' }).waitFor();
      const { data } = await ask(
        '{ chat(id: "demo") { branches { totalCount } branch(name: "packing") { head { text } } } }',
      );
      expect(data).toEqual({ chat: { branches: { totalCount: 4 }, branch: { head: { text: 'And in Lisbon?' } } } });
      expect(complaints).toEqual([]);
    },
  );
});
