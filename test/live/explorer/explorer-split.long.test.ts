/** The thread and the graph side by side. */
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { messageItem, openDemo } from './explorer-window.js';

describe.skipIf(chromiumPath === undefined)(`the split view in Chromium${noChromium}`, () => {
  const browser = shareBrowser();

  async function open() {
    const opened = await openDemo(browser());
    const { page, ask } = opened;
    const messages = Array.from({ length: 40 }, (_, n) => ({
      id: `stop-${n}`,
      name: 'user',
      content: { text: `Stop ${n} ${'and more of it. '.repeat(20)}` },
    }));
    await ask('mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }', {
      input: { chatId: 'demo', messages },
    });
    await page
      .locator('.chats')
      .getByRole('link', { name: /A weekend in Portugal/ })
      .click();
    await page.getByRole('application').waitFor();
    return { ...opened, output: page.locator('.graph output') };
  }

  it('is how a chat opens on a wide screen, and scrolling the thread moves the marker of the graph', async () => {
    const { page, complaints, output } = await open();
    expect(page.url()).toContain('/split');
    await page.locator('.message-list').hover();
    const scroll = async (deltaY: number) => {
      await page.mouse.wheel(0, deltaY);
      return output.textContent();
    };
    // Markdown that is rendered late changes the heights.
    await expect.poll(() => scroll(100_000)).toContain('Stop 39');
    await expect.poll(() => scroll(-100_000)).not.toContain('Stop 39');
    expect(complaints).toEqual([]);
  });

  it('a message that is chosen in the graph is shown in the thread, again after it was scrolled away', async () => {
    const { page, complaints, output } = await open();
    await messageItem(page, 'Stop 39').waitFor();
    const canvas = page.getByRole('application');
    for (let n = 0; n < 2; n++) {
      await canvas.focus();
      await expect
        .poll(async () => {
          await page.keyboard.press('ArrowUp');
          return output.textContent();
        })
        .toContain('system: ');
      await page.keyboard.press('Enter');
      await page.locator('.message-list li[aria-current]', { hasText: 'You are a travel guide' }).waitFor();
      await expect.poll(() => page.url()).toContain('/split/demo-system');
      await expect.poll(() => output.textContent()).toContain('system: ');
      await page.locator('.message-list').hover();
      // The thread scrolls to the chosen message until it is in view.
      const scrollDown = async () => {
        await page.mouse.wheel(0, 100_000);
        return page.url();
      };
      await expect.poll(scrollDown).not.toContain('demo-system');
      await expect.poll(() => output.textContent()).not.toContain('system: ');
    }
    expect(complaints).toEqual([]);
  });

  it('the divider is moved with the mouse and with keys, and its place is remembered', async () => {
    const { page, complaints } = await open();
    const divider = page.getByRole('separator', { name: 'Width of the thread' });
    const width = () => divider.evaluate((it) => it.previousElementSibling!.getBoundingClientRect().width);
    const before = await width();
    const { x, y, height } = (await divider.boundingBox())!;
    await page.mouse.move(x, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x - 100, y + height / 2, { steps: 4 });
    await page.mouse.up();
    await expect.poll(width).toBeLessThan(before - 80);
    const dragged = await width();
    await divider.press('ArrowRight');
    await expect.poll(width).toBeGreaterThan(dragged);
    const moved = await width();
    await page.reload();
    await divider.waitFor();
    expect(await width()).toBeCloseTo(moved, 0);
    expect(complaints).toEqual([]);
  });

  it('a narrow screen shows the thread alone', async () => {
    const { page } = await open();
    await page.setViewportSize({ width: 1_000, height: 800 });
    await page.getByRole('application').waitFor({ state: 'detached' });
    await page.locator('.message-list li').first().waitFor();
  });
});
