/** The picture under a mouse, and in two windows at once. */
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { startListening } from '../../support/listening-server.js';
import { openExplorer } from './explorer-window.js';

describe.skipIf(chromiumPath === undefined)(`the picture in Chromium${noChromium}`, { timeout: 120_000 }, () => {
  const browser = shareBrowser();

  async function open() {
    const server = await startListening({ demo: true });
    const { page, complaints } = await openExplorer(browser());
    await page.goto(new URL('/#/chats/demo/picture', server.url).href);
    const canvas = page.getByRole('application');
    const { x, y } = (await canvas.boundingBox())!;
    /** Of the first message, which stands at the upper end of the first lane. */
    const first = { x: x + 60, y: y + 30 };
    /** What is seen, as the small map has it. */
    const frame = async () => {
      const rect = page.locator('.frame rect');
      const [left, top, width, height] = await Promise.all(
        ['x', 'y', 'width', 'height'].map(async (name) => Number(await rect.getAttribute(name))),
      );
      return { left, top, width, height };
    };
    return { ...server, page, complaints, canvas, first, frame };
  }

  it('a pointer sees the text, and a click opens the thread there', async () => {
    const { page, complaints, canvas, first } = await open();
    await page.mouse.move(first.x, first.y);
    await expect.poll(() => canvas.getAttribute('title')).toContain('You are a travel guide');
    await page.mouse.click(first.x, first.y);
    await page.locator('.said li[aria-current]', { hasText: 'You are a travel guide' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('it is dragged, zoomed into and fitted', async () => {
    const { page, complaints, first, frame } = await open();
    const before = await frame();
    await page.keyboard.down('Control');
    await page.mouse.move(first.x, first.y);
    await page.mouse.wheel(0, -300);
    await page.keyboard.up('Control');
    await expect.poll(async () => (await frame()).height).toBeLessThan(before.height!);
    const near = await frame();
    await page.mouse.move(first.x + 300, first.y + 300);
    await page.mouse.down();
    await page.mouse.move(first.x + 300, first.y + 100, { steps: 5 });
    await page.mouse.up();
    await expect.poll(async () => (await frame()).top).toBeGreaterThan(near.top!);
    expect(page.url()).toContain('/picture');
    await page.getByRole('button', { name: 'Fit' }).click();
    await expect.poll(async () => (await frame()).top).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('what is said in another window appears, and one stays where one is', async () => {
    const { url, page, canvas, first, frame } = await open();
    const far = await frame();
    await page.mouse.move(first.x, first.y);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -300);
    await page.keyboard.up('Control');
    await expect.poll(async () => (await frame()).width).toBeLessThan(far.width!);
    const { width } = await frame();
    const other = await openExplorer(browser());
    await other.page.goto(new URL('/#/chats/demo/thread', url).href);
    await other.page.getByLabel('Say something').fill('And for dessert?');
    await other.page.getByRole('button', { name: 'Say', exact: true }).click();
    await canvas.focus();
    const told = page.locator('.picture output');
    await expect
      .poll(async () => {
        await page.keyboard.press('ArrowDown');
        return told.textContent();
      })
      .toContain('And for dessert?');
    expect((await frame()).width).toBe(width);
  });
});
