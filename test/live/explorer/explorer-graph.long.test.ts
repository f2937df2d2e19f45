/** The graph under a mouse, and in two windows at once. */
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { startListening } from '../../support/server/listening-server.js';
import { openExplorer } from './explorer-window.js';

describe.skipIf(chromiumPath === undefined)(`the graph in Chromium${noChromium}`, () => {
  const browser = shareBrowser();

  /** @param versions other versions of the message after the demo's end: more than 40 rows have a small map */
  async function open(versions = 0) {
    const server = await startListening({ demo: true });
    const { data } = await server.ask('{ chat(id: "demo") { activeBranch { head { id } } } }');
    const { head } = (data as { chat: { activeBranch: { head: { id: string } } } }).chat.activeBranch;
    const save = async (parentId: string, ids: readonly string[]) => {
      const { data: saved } = await server.ask(
        'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }',
        {
          input: {
            chatId: 'demo',
            at: { message: parentId },
            messages: ids.map((id) => ({ id, name: 'user', content: { text: `This is ${id}` } })),
          },
        },
      );
      expect(saved).toEqual({ saveMessages: { __typename: 'SaveMessagesPayload' } });
    };
    for (let n = 0; n < versions; n++) await save(head.id, [`v${n}`]);
    const { page, complaints } = await openExplorer(browser());
    await page.goto(new URL('/#/chats/demo/graph', server.url).href);
    const canvas = page.getByRole('application');
    const { x, y } = (await canvas.boundingBox())!;
    /** The first message, in the first row. */
    const first = { x: x + 60, y: y + 37 };
    /** The visible part, as the small map shows it, in thousandths of its unit: scales are rounded differently at each place. */
    const frame = async () => {
      const rect = page.locator('.frame rect');
      const [left, top, width, height] = await Promise.all(
        ['x', 'y', 'width', 'height'].map(async (name) => Math.round(1_000 * Number(await rect.getAttribute(name)))),
      );
      return { left, top, width, height };
    };
    return { ...server, page, complaints, canvas, first, frame, save, head };
  }

  it('shows a message on hover, a click opens the thread there, and the graph shows it', async () => {
    const { page, complaints, first } = await open();
    await page.mouse.move(first.x, first.y);
    await expect.poll(() => page.locator('.message-card').textContent()).toContain('in a sentence or two.');
    await page.mouse.click(first.x, first.y);
    await page.locator('.message-list li[aria-current]', { hasText: 'You are a travel guide' }).waitFor();
    await page.getByRole('link', { name: 'Graph', exact: true }).click();
    await expect.poll(() => page.locator('.graph output').textContent()).toContain('system: You are a travel guide');
    expect(complaints).toEqual([]);
  });

  it('is dragged, zoomed and fitted', async () => {
    const { page, complaints, first, frame } = await open(40);
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
    expect(page.url()).toContain('/graph');
    await page.getByRole('button', { name: 'Fit' }).click();
    await expect.poll(async () => (await frame()).top).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('shows a message of another window, and keeps its position', async () => {
    const { url, page, canvas, first, frame } = await open(40);
    const far = await frame();
    await page.mouse.move(first.x, first.y);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -300);
    await page.keyboard.up('Control');
    await expect.poll(async () => (await frame()).height).toBeLessThan(far.height!);
    const { height } = await frame();
    const other = await openExplorer(browser());
    await other.page.goto(new URL('/#/chats/demo/thread', url).href);
    await other.page.getByLabel('Write a message').fill('And for dessert?');
    await other.page.getByRole('button', { name: 'Send', exact: true }).click();
    await canvas.focus();
    await page.keyboard.press('?');
    await page.getByText('opens the thread at this message').waitFor();
    const output = page.locator('.graph output');
    await expect
      .poll(async () => {
        await page.keyboard.press('ArrowDown');
        return output.textContent();
      })
      .toContain('And for dessert?');
    expect((await frame()).height).toBeLessThanOrEqual(height!);
  });

  it('keeps the selected message in place when a branch above it grows', async () => {
    const { page, canvas, save } = await open(20);
    await page.goto(new URL(`/#/chats/demo/graph/v10`, page.url()).href);
    await page.reload();
    await expect.poll(() => page.locator('.graph output').textContent()).toContain('This is v10');
    const { x, y, height } = (await canvas.boundingBox())!;
    /** The messages at places on the screen, from above. */
    const ids = async () => {
      const pointed: (string | null)[] = [];
      for (let down = 20; down < height; down += 40) {
        // Left of the card.
        await page.mouse.move(x + 4, y + down);
        pointed.push(await canvas.getAttribute('data-pointed'));
      }
      return pointed;
    };
    await expect.poll(async () => (await ids()).some((id) => id === 'v10')).toBe(true);
    const before = await ids();
    await save('v3', ['v3-a', 'v3-b', 'v3-c']);
    await expect.poll(ids).not.toEqual(before);
    expect((await ids()).indexOf('v10')).toBe(before.indexOf('v10'));
  });

  it('collapses and expands a branch with the keyboard, and shows the messages of a long run', async () => {
    const { page, complaints, canvas, ask, head } = await open();
    const messages = Array.from({ length: 12 }, (_, n) => ({ name: 'user', content: { text: `Stop ${n}` } }));
    await ask('mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }', {
      input: { chatId: 'demo', at: { message: head.id }, messages },
    });
    const output = page.locator('.graph output');
    await canvas.focus();
    const walkTo = (text: string) =>
      expect
        .poll(async () => {
          await page.keyboard.press('ArrowDown');
          return output.textContent();
        })
        .toContain(text);
    await walkTo('more messages');
    await page.keyboard.press('Enter');
    await walkTo('Stop 5');
    await page.keyboard.press('Space');
    await expect.poll(() => output.textContent()).toContain('(collapsed: ');
    await page.getByRole('button', { name: 'Expand' }).click();
    await expect.poll(() => output.textContent()).not.toContain('collapsed');
    expect(complaints).toEqual([]);
  });

  it('the card of a message switches to its branch, and Enter moves the focus into the thread', async () => {
    const { page, complaints, canvas, ask, save, head } = await open();
    await save(head.id, ['end']);
    await save(head.id, ['other']);
    await page.goto(new URL('/#/chats/demo/split/other', page.url()).href);
    const output = page.locator('.graph output');
    await expect.poll(() => output.textContent()).toContain('This is other');
    await canvas.focus();
    await page.keyboard.press('ArrowLeft');
    const card = page.locator('.message-card');
    await card.getByText('This is end').waitFor();
    await page.keyboard.press('Escape');
    await card.waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowLeft');
    await card.getByText('This is end').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const active = async () =>
      (
        (await ask('{ chat(id: "demo") { activeBranch { head { id } } } }')).data as {
          chat: { activeBranch: { head: { id: string } } };
        }
      ).chat.activeBranch.head.id;
    await expect.poll(active).toBe('end');
    await canvas.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(() => document.activeElement?.matches('.thread'))).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('pulses at a running draft until it ends', async () => {
    const { page, ask, complaints, canvas } = await open();
    await canvas.waitFor();
    const pulse = page.locator('.graph .pulse');
    expect(await pulse.count()).toBe(0);
    await ask('mutation { startDraft(input: { chatId: "demo", id: "d" }) { __typename } }');
    await pulse.waitFor();
    expect(await pulse.evaluate((it) => getComputedStyle(it).animationName)).toBe('pulse');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await pulse.evaluate((it) => getComputedStyle(it).animationName)).toBe('none');
    await ask(`mutation {
      appendToDraft(input: { chatId: "demo", id: "d", offset: 0, chunks: ["Sardines"] }) { __typename }
      finishDraft(input: { chatId: "demo", id: "d" }) { __typename }
    }`);
    await pulse.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('two fingers zoom', async () => {
    const { page, complaints, canvas, first, frame } = await open(40);
    await page.mouse.move(first.x, first.y);
    await expect.poll(() => canvas.getAttribute('data-pointed')).not.toBe(null);
    const [under, before] = [await canvas.getAttribute('data-pointed'), await frame()];
    const session = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: { x: number; y: number }[]) =>
      session.send('Input.dispatchTouchEvent', { type, touchPoints });
    await touch('touchStart', first, { x: first.x + 40, y: first.y + 40 });
    await touch('touchMove', first, { x: first.x + 90, y: first.y + 90 });
    await touch('touchMove', first, { x: first.x + 120, y: first.y + 120 });
    await touch('touchEnd');
    await expect.poll(async () => (await frame()).height).toBeLessThan(before.height!);
    // The point under the finger that rests stays there.
    await page.mouse.move(first.x, first.y);
    expect(await canvas.getAttribute('data-pointed')).toBe(under);
    expect(page.url()).toContain('/graph');
    expect(complaints).toEqual([]);
  });
});
