/** The story of test/graphs/story.test.ts, as its people see it in the explorer. */
import { describe, expect, it } from 'vitest';
import { PATH, people, start, tell } from '../../graphs/story.js';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { openExplorer, rootOf } from './explorer-window.js';

describe.skipIf(chromiumPath === undefined)(`a shared conversation in Chromium${noChromium}`, () => {
  const browser = shareBrowser();

  it('is compared, merged, shared and forked', async () => {
    const server = await start();
    const { ann, bob, carl, dora } = await people();
    await tell(server, { ann, bob, carl });
    const { page } = await openExplorer(browser());
    const go = (path: string) => page.goto(`${rootOf(server.url)}#${path}`);
    await go('/chats/trip/compare/porto/lisbon');
    // A member signs in.
    await page.getByLabel('Token').fill(carl.authorization.replace('Bearer ', ''));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('del', { hasText: 'Porto' }).waitFor();
    await page.locator('ins', { hasText: 'Lisbon' }).waitFor();
    await go('/chats/trip/graph/both');
    const { share } = await server.change<{ share: { token: string } }>(
      ann,
      'createShare',
      { chatId: 'trip' },
      'share { token }',
    );
    await expect
      .poll(() => page.locator('.graph output').textContent())
      .toBe('assistant: Both: Porto first. (draws on 1 message)');

    const reader = await openExplorer(browser());
    await reader.page.goto(`${rootOf(server.url)}s#${share.token}`);
    await expect.poll(() => reader.page.locator('.messages > li').count()).toBe(PATH.length);
    for (const text of PATH) await reader.page.getByText(text).waitFor();

    await server.change(dora, 'forkChat', { shareToken: share.token, id: 'dora', title: 'My trip' });
    const { page: own } = await openExplorer(browser());
    await own.goto(`${rootOf(server.url)}#/chats/dora/thread`);
    await own.getByLabel('Token').fill(dora.authorization.replace('Bearer ', ''));
    await own.getByRole('button', { name: 'Sign in' }).click();
    await own.locator('.message-list li', { hasText: 'Both: Porto first.' }).waitFor();
  });
});
