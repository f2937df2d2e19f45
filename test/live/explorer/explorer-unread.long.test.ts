/** Unread messages in the list, the thread and the browser's tab; running answers in the tab. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { messageItem, openDemo } from './explorer-window.js';

const icon = (page: Page) => page.locator('link[rel=icon]').getAttribute('href');

/** Reports another visibility of the page, as when another tab is selected. */
const setVisibility = (page: Page, state: 'visible' | 'hidden') =>
  page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);

describe.skipIf(chromiumPath === undefined)(`unread messages in Chromium${noChromium}`, () => {
  const browser = shareBrowser();

  async function open(path = '') {
    const opened = await openDemo(browser(), path);
    const { page, ask } = opened;
    const chats = page.getByRole('navigation', { name: 'Chats' });
    return {
      ...opened,
      demo: chats.getByRole('link', { name: /weekend in Portugal/ }),
      unread: chats.getByRole('link', { name: /New messages, .*weekend|weekend.*New messages,/ }),
      note: page.getByRole('note', { name: 'New messages' }),
      save: (...texts: string[]) =>
        ask('mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }', {
          input: { chatId: 'demo', messages: texts.map((text) => ({ name: 'assistant', content: { text } })) },
        }),
    };
  }

  it('a chat with new messages is marked in the list and the title until it is opened, also after a reload', async () => {
    const { page, complaints, demo, unread, note, save } = await open();
    await demo.waitFor();
    expect(await unread.count()).toBe(0);
    expect(await page.title()).toBe('Parley');
    const plain = await icon(page);
    await save('Pack a raincoat', 'And boots');
    await unread.waitFor();
    await expect.poll(() => page.title()).toBe('(1) Parley');
    expect(await icon(page)).not.toBe(plain);
    await page.reload();
    await unread.click();
    await messageItem(page, 'Pack a raincoat')
      .and(page.locator('li', { has: note }))
      .waitFor();
    expect(await note.count()).toBe(1);
    await unread.waitFor({ state: 'detached' });
    await expect.poll(() => page.title()).toBe('A weekend in Portugal – Parley');
    expect(await icon(page)).toBe(plain);
    // A visible page shows further messages at once.
    await save('And a hat');
    await messageItem(page, 'And a hat').waitFor();
    expect(await messageItem(page, 'And a hat').locator(note).count()).toBe(0);
    expect(await page.title()).toBe('A weekend in Portugal – Parley');
    expect(complaints).toEqual([]);
  });

  it('messages of the open chat are new when the page was hidden', async () => {
    const { page, note, save } = await open('/chats/demo/thread');
    await messageItem(page, 'What do we eat there?').waitFor();
    await expect.poll(() => page.title()).toBe('A weekend in Portugal – Parley');
    await setVisibility(page, 'hidden');
    await save('Take the tram');
    await expect.poll(() => page.title()).toBe('(1) A weekend in Portugal – Parley');
    await setVisibility(page, 'visible');
    await messageItem(page, 'Take the tram').locator(note).waitFor();
    await expect.poll(() => page.title()).toBe('A weekend in Portugal – Parley');
  });

  it('the browser keeps at most 500 times; a chat whose time was dropped stays read', async () => {
    const { page, unread, demo, save } = await open();
    await demo.waitFor();
    await page.evaluate(() => {
      const chats = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`chat ${n}`, '2999-01-01T00:00:00Z']));
      localStorage.setItem('parley-reads', JSON.stringify({ floor: '2000-01-01T00:00:00Z', chats }));
    });
    await page.reload();
    await unread.click();
    await unread.waitFor({ state: 'detached' });
    const kept = () => page.evaluate(() => JSON.parse(localStorage.getItem('parley-reads')!) as { chats: object });
    expect(Object.keys((await kept()).chats)).toHaveLength(500);
    expect((await kept()).chats).not.toHaveProperty('demo');
    await page.reload();
    await demo.waitFor();
    expect(await unread.count()).toBe(0);
    await page.getByRole('link', { name: 'Parley' }).click();
    await save('Later');
    await unread.waitFor();
  });

  it('a running answer has its own title and icon', async () => {
    const { page, ask } = await open('/chats/demo/thread');
    await expect.poll(() => page.title()).toBe('A weekend in Portugal – Parley');
    const plain = await icon(page);
    await ask('mutation { startDraft(input: { chatId: "demo", id: "d" }) { __typename } }');
    await expect.poll(() => page.title()).toBe('Writing… A weekend in Portugal – Parley');
    expect(await icon(page)).not.toBe(plain);
    await ask(`mutation {
      appendToDraft(input: { chatId: "demo", id: "d", offset: 0, chunks: ["Sardines"] }) { __typename }
      finishDraft(input: { chatId: "demo", id: "d" }) { __typename }
    }`);
    await expect.poll(() => page.title()).toBe('A weekend in Portugal – Parley');
    expect(await icon(page)).toBe(plain);
  });
});
