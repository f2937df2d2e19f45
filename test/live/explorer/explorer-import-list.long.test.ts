/** The chat list while many chats are imported. */
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { startListening } from '../../support/server/listening-server.js';
import { openExplorer, rootOf } from './explorer-window.js';

const CHATS = 300;

describe.skipIf(chromiumPath === undefined)(`the list in Chromium${noChromium}`, () => {
  const browser = shareBrowser();

  it('shows many changes as one batch, with a bounded number of chats and requests', async () => {
    const { url, ask } = await startListening();
    const { page, complaints } = await openExplorer(browser());
    const arrived = new Promise<void>((resolve) => {
      const last = `Chat ${CHATS - 1} of many`;
      page.on('websocket', (socket) =>
        socket.on('framereceived', ({ payload }) => String(payload).includes(last) && resolve()),
      );
    });
    await page.goto(rootOf(url));
    await page.locator('.chats').getByText('There are no chats yet.').waitFor();
    const held = page.evaluateHandle(() => {
      const timers: (() => void)[] = [];
      const start = window.setTimeout.bind(window);
      const hold = (handler: () => void, ms = 0) => {
        if (ms >= 1_000) return start(handler, ms);
        timers.push(handler);
        return 0;
      };
      Object.assign(window, { setTimeout: hold });
      return {
        release: () => {
          Object.assign(window, { setTimeout: start });
          for (const run of timers) run();
        },
      };
    });
    await held;
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.postData() ?? ''));
    await page.evaluate(() => {
      const state = Object.assign(window, { mostRows: 0 });
      new MutationObserver(() => {
        state.mostRows = Math.max(state.mostRows, document.querySelectorAll('.chats li').length);
      }).observe(document.querySelector('.chats')!, { childList: true, subtree: true });
    });
    for (let n = 0; n < CHATS; n++) {
      await ask(`mutation { createChat(input: { id: "c${n}" }) { __typename }
        saveMessages(input: { chatId: "c${n}", messages: [{ name: "user", content: { text: "Chat ${n} of many" } }] }) { __typename } }`);
    }
    await arrived;
    await (await held).evaluate(({ release }) => release());
    await page.locator('.chats').getByText('“Chat 299 of many”').waitFor();
    await page.locator('.chats').getByText('“Chat 280 of many”').waitFor();
    expect(await page.evaluate(() => (window as unknown as { mostRows: number }).mostRows)).toBe(20);
    expect(await page.locator('.chats').getByText('Untitled', { exact: true }).count()).toBe(0);
    expect(requests.filter((text) => text.includes('ReadBeginnings')).length).toBeLessThanOrEqual(2);
    expect(complaints).toEqual([]);
  });

  it('renders only the visible rows of many chats', async () => {
    const { url, ask } = await startListening();
    for (let n = 0; n < CHATS; n++)
      await ask(`mutation { createChat(input: { id: "c${n}", title: "Chat ${n}" }) { __typename } }`);
    const { page, complaints } = await openExplorer(browser());
    await page.goto(rootOf(url));
    const rows = page.locator('.chats li');
    const more = page.getByRole('button', { name: 'Show more' });
    for (let n = 299 - 20; n >= 0; n -= 20) {
      const next = page.waitForResponse((response) => response.request().postData()?.includes('ListChats') === true);
      await more.click();
      await next;
    }
    await more.waitFor({ state: 'detached' });
    expect(await rows.count()).toBeLessThan(60);
    await page.locator('.chat-groups').hover();
    const scroll = async () => {
      await page.mouse.wheel(0, 3_000);
      return rows.last().locator('b').textContent();
    };
    await expect.poll(scroll).toBe('Chat 0');
    expect(await rows.count()).toBeLessThan(60);
    expect(complaints).toEqual([]);
  });
});
