/** The print style of the explorer. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { openDemo } from './explorer-window.js';

const MESSAGES = 400;

describe.skipIf(chromiumPath === undefined)(`a printed thread in Chromium${noChromium}`, () => {
  const browser = shareBrowser();

  async function open(view: string, count = MESSAGES) {
    const opened = await openDemo(browser());
    const { page, ask, go } = opened;
    const messages = Array.from({ length: count }, (_, n) => ({ name: 'user', content: { text: `**Stop** ${n}.` } }));
    await ask('mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }', {
      input: { chatId: 'demo', messages },
    });
    const printing = page.waitForResponse(/assets\/printed-thread.*js$/);
    await go(`/chats/demo/${view}`);
    await printing;
    return opened;
  }

  /** Replaces the dialog of the browser, and resolves after the page has opened it. */
  const dialog = (page: Page) =>
    page.evaluate(() => {
      window.print = () => document.body.setAttribute('data-printed', 'true');
    });

  it.each(['the menu', 'Ctrl+P'])('has all messages from %s, without the controls, in light colours', async (how) => {
    const { page, complaints } = await open('split');
    await page.emulateMedia({ colorScheme: 'dark' });
    await dialog(page);
    if (how === 'Ctrl+P') await page.getByLabel('Write a message').press('Control+p');
    else {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Print' }).click();
    }
    await page.locator('body[data-printed]').waitFor();
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
    await page.getByRole('heading', { name: 'A weekend in Portugal' }).waitFor();
    const texts = await page.locator('main li:visible').allInnerTexts();
    expect(texts).toHaveLength(MESSAGES + 5);
    expect(texts[0]).toContain('You are a travel guide');
    expect(texts.at(-1)).toMatch(/Stop\W* 399\.$/);
    for (const control of ['button', 'textbox', 'navigation', 'application'] as const) {
      expect(await page.getByRole(control).count(), control).toBe(0);
    }
    const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const printed = await background();
    await page.emulateMedia({ colorScheme: 'light', media: 'screen' });
    expect(printed).toBe(await background());
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    await page.getByRole('listitem').filter({ hasText: 'Stop 399.' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('has the messages that were read when the browser prints, and names the number of others', async () => {
    const { page } = await open('thread');
    await page.emulateMedia({ media: 'print' });
    const notice = page.getByText(/^\d+ earlier messages are missing here/);
    // The event has an effect when the code of the printed list is mounted.
    const print = async () => {
      await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
      return notice.count();
    };
    await expect.poll(print).toBe(1);
    // Read at once, because the last event may still add messages; their Markdown may be rendered or not.
    const printed = await page.locator('main').innerText();
    const stops = [...printed.matchAll(/Stop\W* (\d+)\.$/gm)].map(([, number]) => Number(number));
    expect(printed).toContain(`${stops[0]! + 5} earlier messages`);
    expect(stops).toHaveLength(MESSAGES - stops[0]!);
  });
});
