/** The places that links of the explorer open. */
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { isSaved, messageItem, openDemo } from './explorer-window.js';

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
      await isSaved(messageItem(page, 'And in Lisbon?'));
      await page.getByRole('button', { name: 'packing 8 messages' }).waitFor();
      const { data } = await ask(
        '{ chat(id: "demo") { branches { totalCount } branch(name: "packing") { head { text } } } }',
      );
      expect(data).toEqual({ chat: { branches: { totalCount: 5 }, branch: { head: { text: 'And in Lisbon?' } } } });
      expect(complaints).toEqual([]);
    },
  );

  it('a chat on a later page of the list is found by its title, is marked, and its title is in the tab', async () => {
    const { page, ask, complaints } = await openDemo(browser());
    for (let n = 0; n < 25; n++) {
      await ask('mutation ($input: CreateChatInput!) { createChat(input: $input) { __typename } }', {
        input: { id: `chat${n}`, title: `Chat ${n}` },
      });
    }
    await page.reload();
    const list = page.locator('.chats');
    await list.getByRole('link', { name: 'Chat 24' }).waitFor();
    expect(await list.getByRole('link', { name: 'A weekend in Portugal' }).count()).toBe(0);
    await page.getByLabel('Search', { exact: true }).fill('weeke');
    await list.getByRole('link', { name: /^A weekend in Portugal \d+ messages/ }).waitFor();
    await page.getByLabel('Search', { exact: true }).fill('');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
    await page.keyboard.type('weeke');
    await page.getByRole('option', { name: 'A weekend in Portugal' }).waitFor();
    await page.keyboard.press('Enter');
    await messageItem(page, 'What do we eat there?').waitFor();
    await expect.poll(() => page.title()).toBe('A weekend in Portugal – Parley');
    await expect.poll(() => list.locator('[aria-current=page] b').allTextContents()).toEqual(['A weekend in Portugal']);
    expect(complaints).toEqual([]);
  });

  it('reload and back return to the message that was read', async () => {
    const { page, go, ask, complaints } = await openDemo(browser());
    const messages = Array.from({ length: 150 }, (_, n) => ({
      id: `m${n}`,
      name: 'user',
      content: { text: `Stop ${n}. ${'More of it. '.repeat(30)}` },
    }));
    await ask('mutation { createChat(input: { id: "long" }) { __typename } }');
    for (const part of [messages.slice(0, 75), messages.slice(75)]) {
      await ask('mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }', {
        input: { chatId: 'long', messages: part },
      });
    }
    await go('/chats/long/thread');
    await messageItem(page, 'Stop 149.').waitFor();
    await page.locator('.message-list').hover();
    /** The number of the first visible message. */
    const first = () =>
      page.locator('.message-list li').evaluateAll((items) => {
        const { top } = document.querySelector('.message-list')!.getBoundingClientRect();
        const item = items.find((each) => each.getBoundingClientRect().bottom > top);
        return Number(item?.id.replace('message-m', ''));
      });
    const scrollUp = async () => {
      await page.mouse.wheel(0, -800);
      return first();
    };
    await expect.poll(scrollUp).toBeLessThan(80);
    const kept = () => page.evaluate(() => JSON.stringify(history.state));
    // The page has kept the place.
    await expect.poll(async () => (await kept()).includes(`"m${await first()}"`)).toBe(true);
    const place = await first();
    await page.reload();
    await expect.poll(first).toBe(place);
    expect(await page.locator('li[aria-current]').count()).toBe(0);
    await go('/chats/demo/thread');
    await messageItem(page, 'What do we eat there?').waitFor();
    await page.goBack();
    await expect.poll(first).toBe(place);
    // A new visit starts at the end.
    await go('/chats/demo/thread');
    await messageItem(page, 'What do we eat there?').waitFor();
    await go('/chats/long/thread');
    await expect.poll(first).toBeGreaterThan(130);
    expect(complaints).toEqual([]);
  });
});
