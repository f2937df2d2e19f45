/** The explorer and GraphiQL link the same place of each other, in a browser. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { PATIENCE_MS } from '../../support/patience.js';
import { messageItem, openDemo } from '../../live/explorer/explorer-window.js';
import { editor, execute, result } from './graphiql-window.js';

describe.skipIf(chromiumPath === undefined)(`places in Chromium${noChromium}`, () => {
  const browser = shareBrowser();

  it('the explorer opens GraphiQL with the query of a chat, branch or message, and GraphiQL the explorer there', async () => {
    const { page, go, complaints } = await openDemo(browser(), '/chats/demo/thread');
    await messageItem(page, 'What do we eat there?').waitFor();

    const follow = async (from: Page, link: ReturnType<Page['locator']>) => {
      const opened = from.waitForEvent('popup');
      await link.click();
      const popup = await opened;
      popup.setDefaultTimeout(PATIENCE_MS);
      return popup;
    };
    /** Runs the query, and follows the link back. */
    const goBack = async (graphiql: Page, operation: string, found: string) => {
      await editor(graphiql).getByText(`query ${operation}(`).waitFor();
      await execute(graphiql).click();
      await result(graphiql).getByText(found).first().waitFor();
      const link = graphiql.getByRole('link', { name: 'Explorer', exact: true });
      await expect.poll(() => link.getAttribute('href')).toContain('/chats/demo/thread');
      const explorer = await follow(graphiql, link);
      const path = new URL(explorer.url()).hash;
      await explorer.close();
      await graphiql.close();
      return path;
    };

    await page.getByRole('button', { name: 'More actions' }).click();
    const chat = await follow(page, page.getByRole('menuitem', { name: 'GraphiQL' }));
    expect(await goBack(chat, 'OpenThread', '"A weekend in Portugal"')).toBe('#/chats/demo/thread');

    await messageItem(page, 'What do we eat there?')
      .getByRole('button', { name: 'More for this message' })
      .press('Enter');
    const message = await follow(page, page.getByRole('menuitem', { name: 'GraphiQL' }));
    expect(await goBack(message, 'ReadMessage', '"What do we eat there?"')).toMatch(/^#\/chats\/demo\/thread\/./);

    await go('/chats/demo/thread');
    await page.locator('.branch-chip').click();
    await page.getByRole('menuitem', { name: 'Manage branches and checkpoints' }).click();
    const packing = page.getByRole('list', { name: 'Branches' }).locator('li', { hasText: 'packing' });
    const branch = await follow(page, packing.getByRole('link', { name: 'GraphiQL' }));
    expect(await goBack(branch, 'ReadBranch', '"packing"')).toMatch(/^#\/chats\/demo\/thread\/./);
    expect(complaints).toEqual([]);
  });
});
