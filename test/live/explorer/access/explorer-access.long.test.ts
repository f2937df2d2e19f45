/** Accessibility, small screens, and the size of the first page. */
import type { Request } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../../support/chromium.js';
import { startListening } from '../../../support/server/listening-server.js';
import { chooseIn, messageItem, openDemo, openExplorer, rootOf, violations } from '../explorer-window.js';

describe.skipIf(chromiumPath === undefined)(`in Chromium${noChromium}`, () => {
  const browser = shareBrowser();
  const demo = (path?: string) => openDemo(browser(), path);

  it('a skip link leads keyboard users past the chats', async () => {
    const { page } = await demo('/chats/demo/thread');
    await messageItem(page, 'What do we eat there?').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('main5 messages');
  });

  it('a small screen shows either the list or the open chat, with a way back', async () => {
    const { page, go, complaints } = await demo();
    await page.setViewportSize({ width: 420, height: 800 });
    const list = page.locator('.chats');
    await list.getByRole('link', { name: /Portugal/ }).click();
    await page.locator('.message-list li').first().waitFor();
    expect(await list.isVisible()).toBe(false);
    const { width } = (await page.locator('.message-list').boundingBox())!;
    expect(width).toBeGreaterThan(380);
    await go('/chats/demo/graph');
    expect((await page.getByRole('application').boundingBox())!.height).toBeGreaterThan(600);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('link', { name: 'Chats', exact: true }).click();
    await list.waitFor();
    expect((await list.boundingBox())!.height).toBeGreaterThan(600);
    expect(complaints).toEqual([]);
  });

  it('from / to the first thread, at most five operations are sent, with subscriptions, and 230 kB are loaded', async () => {
    const { url } = await startListening({ demo: true });
    const { page } = await openExplorer(browser());
    // The page delays some requests by a second or more, so that a chat opens first. A slow machine takes longer than that.
    await page.addInitScript(() => {
      const start = window.setTimeout.bind(window);
      const within = (handler: () => void, ms = 0) => (ms < 1_000 ? start(handler, ms) : 0);
      Object.assign(window, { setTimeout: within });
    });
    const sent: Request[] = [];
    page.on('request', (request) => sent.push(request));
    let subscriptions = 0;
    page.on('websocket', (socket) =>
      socket.on('framesent', ({ payload }) => (subscriptions += Number(String(payload).includes('"subscribe"')))),
    );
    await page.goto(rootOf(url));
    const link = page.locator('.chats li a').first();
    await link.waitFor();
    const readable = page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const changes = new MutationObserver(() => {
            const items = [...document.querySelectorAll('.message-list li')];
            const item = items.find(({ textContent }) => textContent.includes('What do we eat there?'));
            if (!item?.checkVisibility({ visibilityProperty: true })) return;
            changes.disconnect();
            resolve(performance.timeOrigin + performance.now());
          });
          changes.observe(document, { childList: true, subtree: true, attributes: true });
        }),
    );
    await link.click();
    const readableAt = await readable;
    // The default view on wide screens; its graph follows the thread.
    expect(page.url()).toContain('/split');
    await page.getByRole('application').waitFor();
    // Requests have no times before their response.
    await Promise.all(sent.map((request) => request.response()));
    const before = sent.filter((request) => request.timing().startTime <= readableAt);
    expect(before.length).toBeLessThan(sent.length);
    const queries = before.filter((request) => request.method() === 'POST').length;
    // The text is readable before the worker has rendered it, and before the font has loaded.
    const files = before.filter((request) =>
      /\/(assets\/(?!markdown-worker|.*woff2).*)?$/.test(new URL(request.url()).pathname),
    );
    const sizes = await Promise.all(files.map((request) => request.sizes()));
    const bytes = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(230_000);
    // The changes of the list, and the events and drafts of the chat.
    expect(subscriptions).toBe(3);
    expect(queries + subscriptions).toBeLessThanOrEqual(5);
  });

  it.each([
    ['violations in light', 'light', undefined],
    ['violations of contrast in dark', 'dark', 'color-contrast'],
  ] as const)('axe finds no %s colours in any view', async (_, colorScheme, rule) => {
    const { page, go } = await demo();
    await page.emulateMedia({ colorScheme });
    const check = async (state: string) => expect(await violations(page, rule), state).toEqual([]);
    const views: [path: string, shown: string, button?: string, opened?: string][] = [
      ['/', '.chats li', '.chats [aria-expanded]', '.filter'],
      ['/chats/demo/thread', '.message-list li'],
      ['/chats/demo/graph', 'canvas'],
      ['/chats/demo/split', 'canvas'],
      ['/chats/demo/compare', 'ins', '.compare summary', '.compare details .step'],
      ['/chats/demo/history', '.act .miniature', '.act-title', '.act-events'],
      ['/chats/demo/history', '.act .miniature', '.full-log-button', '.full-log li'],
      ['/tokens', '.new-token'],
      ['/users', '.users td', '.users button', '[role=dialog]'],
    ];
    for (const [path, shown, button, opened] of views) {
      await go(path);
      await page.locator(shown).first().waitFor();
      if (shown === '.message-list li') {
        for (const name of ['main 5 messages', 'More for this message', 'More actions', 'Share']) {
          await page.getByRole('button', { name }).first().press('Enter');
          await page.getByRole(name === 'Share' ? 'dialog' : 'menu').waitFor();
          await check(name);
          await page.keyboard.press('Escape');
        }
        await chooseIn(page.locator('.message-list li').first(), 'Details');
        await page.getByRole('dialog').waitFor();
        await check('details');
        await page.keyboard.press('Escape');
      }
      await check(path);
      if (button === undefined || opened === undefined) continue;
      await page.locator(button).first().click();
      await page.locator(opened).first().waitFor();
      await check(opened);
    }
  });
});
