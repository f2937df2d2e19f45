/** The explorer after an outage of its server. */
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { startListening } from '../../support/server/listening-server.js';
import { openExplorer } from './explorer-window.js';

describe.skipIf(chromiumPath === undefined)(`outages in Chromium${noChromium}`, () => {
  const browser = shareBrowser();

  it.each(['the Retry button', 'the return of the network', 'the return of the tab'])(
    'the explorer reconnects without a delay after %s',
    async (cause) => {
      const first = await startListening({ demo: true });
      const { page } = await openExplorer(browser());
      await page.goto(new URL('/#/chats/demo/thread', first.url).href);
      const connection = page.locator('.connection');
      await expect.poll(() => connection.textContent()).toBe('live');
      await page.locator('.message-list li').first().waitFor();
      // Pauses do not end by themselves.
      await page.evaluate(() => Object.assign(window, { setTimeout: () => 0 }));
      await first.stop();
      const retry = page.getByRole('button', { name: 'Retry' });
      await retry.waitFor();
      await startListening({ databaseUrl: first.databaseUrl, port: Number(new URL(first.url).port) });
      if (cause === 'the Retry button') await retry.press('Enter');
      else if (cause === 'the return of the network') await page.evaluate(() => dispatchEvent(new Event('online')));
      else await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      await expect.poll(() => connection.textContent()).toBe('live');
      expect(await retry.count()).toBe(0);
    },
  );
});
