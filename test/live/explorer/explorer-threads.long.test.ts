/** Threads of the explorer that are long, and texts that are odd. */
import type { Page, Request } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { startListening } from '../../support/server/listening-server.js';
import { isInView, openExplorer, pressIn } from './explorer-window.js';

const CREATE = 'mutation { createChat(input: { id: "it" }) { __typename } }';
const SAVE = `mutation ($messages: [MessageInput!]!) {
  saveMessages(input: { chatId: "it", messages: $messages }) { __typename } }`;
const SAVED = { data: { saveMessages: { __typename: 'SaveMessagesPayload' } } };

/** The page shows a text plain after two seconds, which the first formula can take. */
const withoutRenderLimit = (page: Page) =>
  page.addInitScript(() => {
    const start = window.setTimeout.bind(window);
    Object.assign(window, { setTimeout: (handler: () => void, ms = 0) => (ms === 2_000 ? 0 : start(handler, ms)) });
  });

describe.skipIf(chromiumPath === undefined)(`threads${noChromium}`, () => {
  const browser = shareBrowser();

  /** @param prepare called with the page before it opens */
  async function open(
    contents: readonly object[],
    at: string,
    prepare: (page: Page) => Promise<unknown> = async () => {},
  ) {
    const { url, ask } = await startListening();
    await ask(CREATE);
    const messages = contents.map((content, n) => ({ id: `m${n}`, name: n % 2 === 0 ? 'user' : 'assistant', content }));
    for (let n = 0; n < messages.length; n += 100) {
      expect(await ask(SAVE, { messages: messages.slice(n, n + 100) })).toEqual(SAVED);
    }
    const window = await openExplorer(browser());
    const { page } = window;
    await prepare(page);
    await page.goto(new URL(`/#/chats/it/thread/${at}`, url).href);
    const see = async (id: string) => {
      await page.evaluate((to) => (location.hash = `#/chats/it/thread/${to}`), id);
      await page.locator(`#message-${id}[aria-current]`).waitFor();
      return page.locator(`#message-${id}`);
    };
    return { ...window, url, see };
  }

  it('render visible messages only, open at any message, and load in both directions', async () => {
    const contents = Array.from({ length: 3000 }, (_, n) => ({
      text: `This is number ${n}. ${'More of it. '.repeat(n % 9)}`,
    }));
    const { page, complaints, see } = await open(contents, 'm1500');
    await page.locator('li[aria-current="location"]', { hasText: 'number 1500.' }).waitFor();
    const shown = page.locator('.message-list li');
    expect(await shown.count()).toBeLessThan(60);
    /** Towards it, whichever way that is by now: a turn of the wheel may have gone beyond. */
    const wheelTo = async (number: number) => {
      await page.locator('.message-list').hover();
      const checkFrame = async () => {
        const numbers = (await shown.allTextContents()).map((text) => Number(/number (\d+)\./.exec(text)?.[1]));
        if (numbers.includes(number)) return true;
        await page.mouse.wheel(0, Math.max(...numbers) < number ? 400 : -400);
        return false;
      };
      await expect.poll(checkFrame, { interval: 30 }).toBe(true);
    };
    await wheelTo(1400);
    await wheelTo(1650);
    // To places far from what was read.
    await see('m3');
    await see('m2800');
    await see('m900');
    await page.getByRole('button', { name: 'Jump to newest' }).click();
    await shown.filter({ hasText: 'number 2999.' }).waitFor();
    await page.evaluate(() => (location.hash = '#/chats/it/thread/of-nobody'));
    await page.getByRole('alert').filter({ hasText: 'not found' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('open at the beginning of a linked message, and stay there while others are rendered and loaded', async () => {
    const contents = Array.from({ length: 82 }, (_, n) => {
      const code = n % 10 === 1 ? `\n\n\`\`\`js\n${'const a = 1;\n'.repeat(60)}\`\`\`` : '';
      return { text: n % 2 === 0 ? `Question ${n}` : `Answer ${n}\n\n${'Some words. '.repeat((n * 7) % 180)}${code}` };
    });
    const { page, url, complaints } = await open(contents, 'm0');
    const pending = new Set<Request>();
    page.on('request', (sent) => sent.method() === 'POST' && pending.add(sent));
    const remove = (sent: Request) => void pending.delete(sent);
    page.on('requestfinished', remove).on('requestfailed', remove);
    for (const id of ['m12', 'm18', 'm21', 'm36', 'm48', 'm81']) {
      await page.goto('about:blank');
      await page.goto(new URL(`/#/chats/it/thread/${id}`, url).href);
      const message = page.locator(`#message-${id}[aria-current]`);
      await message.waitFor();
      // Nothing more is read, and the visible texts are rendered.
      await expect.poll(async () => [...pending, ...(await page.locator('.message-list .plain').all())]).toEqual([]);
      // After 40 frames of the same height, its beginning is in view.
      const isInList = message.evaluate(
        (_, selector) =>
          new Promise<boolean>((resolve) => {
            const list = document.querySelector('.message-list')!;
            let [frames, height] = [0, list.scrollHeight];
            const checkFrame = () => {
              frames = list.scrollHeight === height ? frames + 1 : 0;
              height = list.scrollHeight;
              if (frames < 40) return void requestAnimationFrame(checkFrame);
              const top = document.querySelector(selector)?.getBoundingClientRect().top ?? -1;
              const edges = list.getBoundingClientRect();
              resolve(top >= edges.top && top < edges.bottom);
            };
            checkFrame();
          }),
        `#message-${id}`,
      );
      expect(await isInList).toBe(true);
      expect([...pending]).toEqual([]);
    }
    // Scrolling releases the message.
    await page.locator('.message-list').hover();
    await page.mouse.wheel(0, -600);
    await expect.poll(() => page.locator('#message-m81').evaluate(isInView)).toBe(false);
    expect(complaints).toEqual([]);
  });

  it('show formulas without styles, folded parts, and long texts in steps', async () => {
    const parts = [
      { type: 'reasoning', text: 'Let me think.' },
      { type: 'dynamic-tool', toolName: 'weather', state: 'output-available', input: { in: 'Porto' }, output: 'rain' },
      { type: 'text', text: 'It rains.' },
      { type: 'file', mediaType: 'image/png', url: 'https://elsewhere.example/rain.png' },
      { type: 'file', mediaType: 'image/png', url: 'javascript:alert(5)' },
      { type: 'source-url', sourceId: 's', url: 'https://elsewhere.example/', title: 'The forecast' },
      { type: 'source-url', sourceId: 't', url: 'javascript:alert(6)', title: 'No forecast' },
    ];
    const { page, url, complaints, see } = await open(
      [
        { text: '# Heading\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nlet x = 1;\n```\n\n$$e^{i\\pi} = -1$$' },
        {
          text: '$$\\href{javascript:alert(4)}{x} \\includegraphics{https://elsewhere.example/x.png}$$ $$\\fcolorbox{red}{blue}{a}$$ $$\\nothing$$',
        },
        { text: 'x'.repeat(1_000_000) },
        { text: 'שלום, **עולם** 你好，世界 ![a cat](https://elsewhere.example/cat.png)' },
        { data: { parts } },
      ],
      'm0',
      withoutRenderLimit,
    );
    const hosts = new Set<string>();
    page.on('request', (sent) => hosts.add(new URL(sent.url()).host));
    await page.getByRole('heading', { name: 'Heading' }).waitFor();
    await page.locator('td', { hasText: '2' }).waitFor();
    await page.locator('math').first().waitFor();
    const maths = await see('m1');
    await maths.locator('math').first().waitFor();
    expect(await maths.locator('[style], img, a[href^="javascript"]').count()).toBe(0);
    const long = await see('m2');
    // By keyboard: messages above can still grow and move the button away from the mouse.
    await long.getByRole('button', { name: 'Show more: 980,000 characters' }).press('Enter');
    await long.getByRole('button', { name: 'Show more: 880,000 characters' }).waitFor();
    const far = await see('m3');
    await far.locator('strong').waitFor();
    expect(await far.getByRole('link', { name: 'a cat' }).getAttribute('rel')).toContain('noreferrer');
    const folded = await see('m4');
    expect(await folded.getByText('Let me think.').isVisible()).toBe(false);
    await folded.getByText('Thinking').click();
    await folded.getByText('Let me think.').waitFor();
    await folded.getByText('weather').click();
    await folded.getByText('"in": "Porto"').waitFor();
    expect(await folded.getByRole('link', { name: 'The forecast' }).getAttribute('rel')).toContain('noreferrer');
    expect(await folded.getByRole('link', { name: 'No forecast' }).count()).toBe(0);
    expect(await page.locator('main img, a[href^="javascript"]').count()).toBe(0);
    expect([...hosts]).toEqual([new URL(url).host]);
    expect(complaints).toEqual([]);
  });

  it('stay responsive while the Markdown of a text takes too long, and show it plain', async () => {
    const { page, complaints } = await open([{ text: '**first**' }, { text: '**second**' }], 'm0');
    await page.locator('strong').nth(1).waitFor();
    // The first text that its worker gets takes forever.
    const body = 'onmessage = () => { for (;;); }; postMessage(null);';
    const stuck = page.waitForEvent('requestfinished', (request) => request.url().includes('markdown-worker'));
    await page.route(/markdown-worker/, (route) => route.fulfill({ contentType: 'text/javascript', body }), {
      times: 1,
    });
    await page.reload();
    await stuck;
    await pressIn(page.locator('#message-m0'), 'More for this message');
    await page.getByRole('menuitem', { name: 'Continue from here' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('strong').waitFor();
    expect(await page.locator('.message-list .plain').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('show every message with any values in the fields of its parts', async () => {
    const fitting = { text: 'Hello', url: 'https://elsewhere.example/a.png', title: 'A', filename: 'a', toolName: 't' };
    const wrong: unknown[] = [{}, { toString: 1 }, ['a'], 1, true, null, 'x'.repeat(10_000)];
    const hostile = ['text', 'reasoning', 'source-url', 'file', 'dynamic-tool', 'tool-x', 'x'].map((type) =>
      ['type', 'mediaType', ...Object.keys(fitting)].flatMap((field) =>
        wrong.map((value) => ({ type, ...fitting, [field]: value })),
      ),
    );
    const many = Array.from({ length: 5_000 }, () => ({ type: 'text', text: 'One of many' }));
    const rest = [null, 1, 'a', [], {}, { type: 'step-start' }];
    const all = [...hostile, many, [...rest, { type: 'text', text: 'At last' }]];
    const { page, complaints, see } = await open(
      all.map((parts) => ({ data: { parts } })),
      'm0',
    );
    for (const [n, parts] of all.entries()) {
      const message = await see(`m${n}`);
      await message.evaluate((item) => item.querySelectorAll('details').forEach((folded) => (folded.open = true)));
      if (parts === many) await message.getByText('Show more: 4,900 parts').waitFor();
      else await message.locator('pre').first().waitFor();
    }
    await page.getByText('At last', { exact: true }).last().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
