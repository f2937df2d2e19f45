/** How messages of the explorer look: type, Markdown, tool calls, actions, answers, small windows and forced colours. */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { startListening } from '../../support/server/listening-server.js';
import {
  chooseBranch,
  chooseIn,
  isInView,
  messageItem,
  openDemo,
  openExplorer,
  violations,
} from './explorer-window.js';

const TABLE = `# First

## Second

### Third

Some ~~struck~~ words.

| Day | Morning | Afternoon | Evening | Cost | Notes that are long enough to wrap more than once | Link |
|---|---|---|---|---|---|---|
| Saturday | Museum | Ribeira | Fado | 42.50 | Rain until four, so indoors first; take the tram back | map |`;

const FORMULAS = 'From \\( x_1 \\):\n\n\\[\n\\int_0^1 x \\, dx\n\\]\n\nAs code: `\\( a \\)`.\n\n```\n\\[ b \\]\n```';

const RIGHT_TO_LEFT = 'خذ معطفًا `let a = [1];` نعم.\n\n```js\nconst bag = ["coat"]; // تعليق\n```';

const call = (toolCallId: string, durationMs: number) => ({
  type: 'dynamic-tool',
  toolName: 'python',
  toolCallId,
  state: 'output-available',
  input: { code: `print("${toolCallId}")` },
  output: `printed ${toolCallId}`,
  durationMs,
});

const say = (id: string, name: string, ...parts: object[]) => ({ id, name, content: { data: { role: name, parts } } });
const text = (written: string) => ({ type: 'text', text: written });

const MESSAGES = [
  say('question', 'user', text('A table, please')),
  say('table', 'assistant', text(TABLE)),
  say('formulas', 'assistant', text(FORMULAS)),
  say('rtl', 'assistant', text(RIGHT_TO_LEFT)),
  say('pending', 'assistant', {
    type: 'data-tool-call',
    data: { toolCallId: 'one', toolName: 'python', input: { code: 'print("one")' } },
  }),
  say('result', 'assistant', call('one', 400)),
  say('results', 'assistant', call('two', 100), call('three', 1_200), call('four', 1_800)),
  say('long', 'assistant', text('A long answer.\n\n'.repeat(60))),
  say('next', 'user', text('And then?')),
];

const styleOf = (found: Locator, property: string, pseudo = '') =>
  found.evaluate((it, [name, of]) => getComputedStyle(it, of).getPropertyValue(name), [property, pseudo] as const);

/** The number of lines on which the first occurrence of a word is. */
const linesOf = (found: Locator, word: string) =>
  found.evaluate((it, searched) => {
    const texts = document.createTreeWalker(it, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      const start = node.textContent!.indexOf(searched);
      if (start === -1) continue;
      const range = document.createRange();
      range.setStart(node, start);
      range.setEnd(node, start + searched.length);
      return new Set([...range.getClientRects()].map(({ top }) => top)).size;
    }
    return 0;
  }, word);

describe.skipIf(chromiumPath === undefined)(`messages in Chromium${noChromium}`, () => {
  const browser = shareBrowser();

  async function open(at: string, prepare: (page: Page) => Promise<unknown> = async () => {}) {
    const { url, ask } = await startListening();
    await ask('mutation { createChat(input: { id: "it", title: "It" }) { __typename } }');
    const query = 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';
    await ask(query, { input: { chatId: 'it', messages: MESSAGES } });
    const window = await openExplorer(browser());
    const { page } = window;
    await prepare(page);
    await page.goto(new URL(`/#/chats/it/thread${at}`, url).href);
    const see = async (id: string) => {
      await page.evaluate((to) => (location.hash = `#/chats/it/thread/${to}`), id);
      await page.locator(`#message-${id}[aria-current]`).waitFor();
      return page.locator(`#message-${id}`);
    };
    return { ...window, ask, see };
  }

  it('have a font of the server, sizes by their kind, formulas, and code that reads from left to right', async () => {
    const { page, see, complaints } = await open('/table');
    const table = await see('table');
    const struck = table.locator('del');
    await struck.waitFor();
    const used = () => page.evaluate(() => [...document.fonts].filter(({ status }) => status === 'loaded').length);
    await expect.poll(used).toBeGreaterThan(0);
    expect(await styleOf(struck, 'text-decoration-line')).toBe('line-through');
    expect(await styleOf(table.locator('p').first(), 'font-family')).toMatch(/^Inter,/);
    const sizes = async (tag: string) => [
      await styleOf(table.locator(tag).first(), 'font-size'),
      await styleOf(table.locator(tag).first(), 'line-height'),
    ];
    expect(await sizes('p')).toEqual(['16px', '26.4px']);
    expect((await sizes('h2'))[0]).toBe('21px');
    expect((await sizes('h3'))[0]).toBe('17px');
    // The linked message has a mark, and no background.
    expect(await styleOf(table, 'background-color')).toBe('rgba(0, 0, 0, 0)');
    expect(await styleOf(table, 'border-inline-start-width', '::before')).toBe('2px');

    const formulas = await see('formulas');
    await formulas.locator('math').nth(1).waitFor();
    expect(await formulas.locator('math').count()).toBe(2);
    expect(await formulas.locator('math').last().getAttribute('display')).toBe('block');
    expect(await formulas.locator('code').allTextContents()).toEqual(['\\( a \\)', '\\[ b \\]\n']);

    const rtl = await see('rtl');
    await rtl.locator('pre').waitFor();
    expect(await styleOf(rtl.locator('p').first(), 'direction')).toBe('rtl');
    for (const code of await rtl.locator('code').all()) {
      const isLeftToRight = code.evaluate((it) => {
        const places = [0, -1].map((at) => {
          const texts = document.createTreeWalker(it, NodeFilter.SHOW_TEXT);
          const nodes: Node[] = [];
          for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) nodes.push(node);
          const node = nodes.at(at)!;
          const range = document.createRange();
          range.selectNodeContents(node);
          return range.getBoundingClientRect().left;
        });
        const { left } = it.getBoundingClientRect();
        return places[0]! <= places[1]! && places[0]! - left < 20 && getComputedStyle(it).direction === 'ltr';
      });
      expect(await isLeftToRight).toBe(true);
    }
    expect(complaints).toEqual([]);
  });

  it('show a tool call with its result as one card, and several calls in a row as one line', async () => {
    const { page, see, complaints } = await open('/result');
    const result = await see('result');
    const card = result.locator('summary');
    await expect.poll(() => card.innerText()).toMatch(/^python\s+print\("one"\)\s+printed one\s+0\.4 s$/);
    expect(await page.locator('#message-pending').innerText()).not.toContain('print');
    expect((await page.locator('#message-pending').boundingBox())!.height).toBeLessThan(2);
    await card.press('Enter');
    await result.getByRole('region', { name: 'Input' }).getByText('"code"').waitFor();
    await result.getByRole('region', { name: 'Output' }).getByText('printed one').waitFor();
    await result.getByRole('button', { name: 'Copy output' }).waitFor();
    const row = page.locator('#message-results > .message-body > details');
    expect(await row.innerText()).toMatch(/^3 tool calls\s+3\.1 s$/);
    await row.locator('summary').first().press('Enter');
    await row.getByText('printed three').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('have one bar of actions on hover and focus, which stays visible at a long message', async () => {
    const { page, see, ask, complaints } = await open('/long');
    const long = await see('long');
    const bar = long.getByRole('group', { name: 'Actions for the message' });
    const opacity = () => styleOf(bar, 'opacity');
    await page.mouse.move(0, 0);
    await expect.poll(opacity).toBe('0');
    await long.hover({ position: { x: 200, y: 100 } });
    await expect.poll(opacity).toBe('1');
    expect(await bar.evaluate(isInView)).toBe(true);
    const names = await bar.getByRole('button').evaluateAll((all) => all.map((it) => it.getAttribute('aria-label')));
    expect(names).toEqual(['Copy', 'Edit', 'Regenerate', 'Branch here', 'More for this message']);
    await page.mouse.move(0, 0);
    await expect.poll(opacity).toBe('0');
    await bar.getByRole('button', { name: 'Copy' }).focus();
    await page.keyboard.press('Tab');
    await expect.poll(opacity).toBe('1');
    // Time and model are in the details.
    expect(await long.locator('time').count()).toBe(0);
    await chooseIn(long, 'Details');
    await page.getByRole('dialog', { name: 'Details' }).getByText('Saved').waitFor();
    await page.keyboard.press('Escape');
    await bar.getByRole('button', { name: 'Regenerate' }).press('Enter');
    await expect.poll(() => messageItem(page, 'And then?').count()).toBe(0);
    const { data } = await ask('{ chat(id: "it") { activeBranch { head { id } } } }');
    expect(data).toEqual({ chat: { activeBranch: { head: { id: 'results' } } } });
    expect(complaints).toEqual([]);
  });

  it('have a caret after the last character of an answer, which Stop at the place of Send ends', async () => {
    const { page, ask, complaints } = await open('');
    await messageItem(page, 'And then?').waitFor();
    await ask('mutation { startDraft(input: { chatId: "it", id: "d" }) { __typename } }');
    const delta = 'Leave it here:\n\n- one\n- two and **three**';
    await ask('mutation ($input: AppendToDraftInput!) { appendToDraft(input: $input) { __typename } }', {
      input: { chatId: 'it', id: 'd', offset: 0, chunks: [{ type: 'text-delta', id: 't', delta }] },
    });
    const answer = messageItem(page, 'Leave it here');
    await answer.locator('strong').waitFor();
    const caretOf = (selector: string) => styleOf(answer.locator(selector).last(), 'width', '::after');
    expect(await caretOf('li')).toBe('2px');
    for (const other of ['p', 'ul', '.markdown', '.message-body']) expect(await caretOf(other), other).not.toBe('2px');
    const stop = page.getByRole('button', { name: 'Stop' });
    const send = page.getByRole('button', { name: 'Send', exact: true });
    const field = page.getByLabel('Write a message');
    await stop.waitFor();
    const place = (await stop.boundingBox())!;
    expect(await send.isVisible()).toBe(false);
    await field.fill('Wait');
    const sendPlace = (await send.boundingBox())!;
    expect(await stop.isVisible()).toBe(false);
    expect(Math.round(sendPlace.x + sendPlace.width)).toBe(Math.round(place.x + place.width));
    await field.fill('');
    await stop.waitFor();
    await field.press('Escape');
    await answer.getByText('stopping').waitFor();
    expect(await stop.isVisible()).toBe(false);
    await ask(
      'mutation { finishDraft(input: { chatId: "it", id: "d", content: null }) { __typename ... on Error { message } } }',
    );
    await answer.getByText('Stopped before the end').waitFor();
    expect(await answer.locator('.message-body').innerText()).toContain('three');
    expect(complaints).toEqual([]);
  });

  it('on a phone have one row of header, whole words, and actions after a tap', async () => {
    const { page, see, complaints } = await open('/table', (it) => it.setViewportSize({ width: 390, height: 844 }));
    const table = await see('table');
    const box = table.getByRole('group', { name: 'Table' });
    await box.waitFor();
    for (const word of ['Saturday', 'Afternoon', '42.50', 'Museum']) expect(await linesOf(box, word), word).toBe(1);
    expect(await box.evaluate((it) => it.scrollWidth > it.clientWidth)).toBe(true);
    expect((await page.locator('.topbar').boundingBox())!.height).toBeLessThan(60);
    await page.locator('.topbar').getByText('main').waitFor();
    const menu = page.getByRole('menu');
    expect(await table.getByRole('button', { name: 'Copy', exact: true }).count()).toBe(0);
    await table.getByText('Some').click();
    await menu.getByRole('menuitem', { name: 'Regenerate' }).waitFor();
    const sheet = (await menu.boundingBox())!;
    expect([sheet.x, Math.round(sheet.y + sheet.height)]).toEqual([0, 844]);
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'History' }).click();
    await page.locator('.history .act').first().waitFor();
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Thread' }).click();
    await messageItem(page, 'And then?').waitFor();
    expect(complaints).toEqual([]);
  });

  it('can be read at 400 percent and beside the graph at 1,024 pixels', async () => {
    const { page, complaints } = await open('', (it) => it.setViewportSize({ width: 320, height: 256 }));
    await messageItem(page, 'And then?').waitFor();
    const list = (await page.locator('.message-list').boundingBox())!;
    expect(list.height).toBeGreaterThan(110);
    await expect.poll(() => messageItem(page, 'And then?').getByText('And then?').evaluate(isInView)).toBe(true);
    expect(await page.getByRole('button', { name: 'Send', exact: true }).evaluate(isInView)).toBe(true);
    const name = page.locator('.branch-chip > span');
    const isWhole = () => name.evaluate((it) => it.clientWidth > 0 && it.scrollWidth <= it.clientWidth);
    expect(await isWhole()).toBe(true);
    expect(await name.evaluate(isInView)).toBe(true);
    await page.setViewportSize({ width: 1_024, height: 768 });
    await page.getByRole('link', { name: 'Split' }).click();
    await page.getByRole('application').waitFor();
    await messageItem(page, 'And then?').waitFor();
    expect((await page.locator('.split-thread').boundingBox())!.width).toBeGreaterThan(380);
    expect((await page.locator('.split-graph').boundingBox())!.width).toBeGreaterThan(300);
    expect(await isWhole()).toBe(true);
    // A narrower window offers no view that it cannot show.
    await page.setViewportSize({ width: 900, height: 700 });
    await page.getByRole('link', { name: 'Split' }).waitFor({ state: 'hidden' });
    expect(complaints).toEqual([]);
  });

  it('show names and differences in forced colours', async () => {
    const { page, go, complaints } = await openDemo(browser());
    await page.emulateMedia({ forcedColors: 'active' });
    await go('/chats/demo/split');
    await page.getByRole('application').waitFor();
    /** The longest horizontal run of the colour of texts: a name without a visible text is longer than any letter. */
    const longestRun = () =>
      page.getByRole('application').evaluate((it) => {
        const { width, height } = it as HTMLCanvasElement;
        const { data } = (it as HTMLCanvasElement).getContext('2d')!.getImageData(0, 0, width, height);
        let [longest, run, drawn] = [0, 0, 0];
        for (let n = 0; n < data.length; n += 4) {
          const isDark = data[n + 3] === 255 && data[n]! + data[n + 1]! + data[n + 2]! < 60;
          run = isDark && (n / 4) % width !== 0 ? run + 1 : 0;
          drawn += Number(isDark);
          longest = Math.max(longest, run);
        }
        return drawn > 100 ? longest : Infinity;
      });
    await expect.poll(longestRun).toBeLessThan(30);
    const views = page.getByRole('navigation', { name: 'Views' });
    expect(await styleOf(views.locator('[aria-current]'), 'outline-style')).toBe('solid');
    expect(await styleOf(views.getByRole('link', { name: 'Thread' }), 'outline-style')).toBe('none');
    await go('/chats/demo/compare');
    await chooseBranch(page, 'Right', 'main-v2');
    await page.locator('ins').first().waitFor();
    expect(await styleOf(page.locator('ins').first(), 'text-decoration-line')).toBe('underline');
    expect(await styleOf(page.locator('del').first(), 'text-decoration-line')).toBe('line-through');
    expect(complaints).toEqual([]);
  });
});
