/** The pages of the explorer: the list of chats, search, users, sizes and accessibility. */
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { startListening } from '../../support/server/listening-server.js';
import { messageItem, openDemo, openExplorer, rootOf, violations } from './explorer-window.js';

describe.skipIf(chromiumPath === undefined)(`in Chromium${noChromium}`, { timeout: 120_000 }, () => {
  const browser = shareBrowser();
  const demo = (path?: string) => openDemo(browser(), path);

  it('a search finds a message on another branch, and opens it there', async () => {
    const { page, complaints } = await demo();
    await page.locator('.chats li').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('Alfama');
    const hit = page.locator('.snippet', { hasText: 'Alfama' }).first();
    expect(await hit.locator('mark').first().textContent()).toBe('Alfama');
    await hit.click();
    await page.locator('li[aria-current]', { hasText: 'Alfama' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('chats are filtered by title and by metadata', async () => {
    const { page, ask } = await demo();
    for (const [id, title, metadata] of [
      ['a', 'Bread', { kind: 'recipe' }],
      ['b', 'Soup', { kind: 'story' }],
    ]) {
      await ask('mutation ($input: CreateChatInput!) { createChat(input: $input) { __typename } }', {
        input: { id, title, metadata },
      });
    }
    await page.locator('.chats li', { hasText: 'Bread' }).waitFor();
    await page.getByText('Filter').click();
    await page.getByLabel('Metadata: key').fill('kind');
    await page.getByLabel('Metadata: value').fill('recipe');
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => page.locator('.chats li b').allTextContents()).toEqual(['Bread']);
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.getByLabel('Title').fill('soup');
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => page.locator('.chats li b').allTextContents()).toEqual(['Soup']);
    expect(await page.getByLabel('Title').inputValue()).toBe('soup');
    await page.getByLabel('Title').fill('stew');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('No chat matches.').waitFor();
  });

  it('a chat is created with the keyboard only, and each of its views is empty', async () => {
    const { page, ask, complaints } = await demo();
    await page.getByRole('button', { name: 'New chat' }).press('Enter');
    await page.getByText('No messages yet.').waitFor();
    const thread = page.url();
    await page.goto(thread.replace('/thread', '/graph'));
    await page.getByText('No messages yet.').waitFor();
    // Its former name, as in old links.
    await page.goto(thread.replace('/thread', '/picture'));
    await page.locator('[aria-current="page"]', { hasText: 'Graph' }).waitFor();
    await page.goto(thread.replace('/thread', '/compare'));
    await page.getByText('Only one branch has messages').waitFor();
    await page.goto(thread);
    await expect
      .poll(() => page.getByLabel('Write a message').evaluate((it) => it === document.activeElement))
      .toBe(true);
    await page.keyboard.type('Is anybody');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('there?');
    await page.keyboard.press('Enter');
    await messageItem(page, 'there?').locator('time').waitFor();
    const { data } = await ask('{ chats(first: 1) { edges { node { lastMessage { text } } } } }');
    expect(data).toEqual({ chats: { edges: [{ node: { lastMessage: { text: 'Is anybody\nthere?' } } }] } });
    expect(complaints).toEqual([]);
  });

  it('a skip link leads keyboard users past the chats', async () => {
    const { page } = await demo('/chats/demo/thread');
    await messageItem(page, 'What do we eat there?').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Thread');
  });

  it('a chat is deleted after its title was typed', async () => {
    const { page, ask } = await demo('/chats/demo/thread');
    await page.locator('.heading').getByRole('button', { name: 'Delete' }).press('Enter');
    await page.keyboard.type('A weekend');
    await page.keyboard.press('Enter');
    await page.keyboard.type(' in Portugal');
    expect((await ask('{ chats { totalCount } }')).data).toEqual({ chats: { totalCount: 1 } });
    await page.keyboard.press('Enter');
    await page.getByText('There are no chats yet.').waitFor();
    await expect.poll(() => new URL(page.url()).hash).toBe('#/');
  });

  it('each view reports a missing chat or message', async () => {
    const { page, go } = await demo();
    for (const view of ['thread', 'graph', 'compare', 'history']) {
      await go('/');
      await go(`/chats/nobody-knows/${view}`);
      await page.locator('main .hint', { hasText: 'Chat not found.' }).waitFor();
    }
    await go('/chats/demo/compare/no-message');
    await page.getByText('Message not found.').waitFor();
  });

  it('a view whose code cannot be loaded reports this, and keeps the rest of the page', async () => {
    const { page, go } = await demo('/chats/demo/thread');
    await page.route(/graph-.*\.js$/, (route) => route.abort());
    await go('/chats/demo/graph');
    await page.getByRole('alert').filter({ hasText: 'This view failed.' }).waitFor();
    await page.getByRole('link', { name: 'Thread' }).click();
    await messageItem(page, 'What do we eat there?').waitFor();
    await page.getByRole('link', { name: 'Graph', exact: true }).click();
    await page.unroute(/graph-.*\.js$/);
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await page.getByRole('application').waitFor();
  });

  it('a numbered list in a message shows its numbers', async () => {
    const { page, ask } = await demo();
    const save = `mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }`;
    const content = { text: '1. Sardines\n2. Bread' };
    await ask(save, { input: { chatId: 'demo', messages: [{ name: 'assistant', content }] } });
    await page.goto(new URL('/#/chats/demo/thread', page.url()).href);
    const list = page.locator('.markdown ol', { hasText: 'Sardines' });
    expect(await list.evaluate((it) => getComputedStyle(it).listStyleType)).toBe('decimal');
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
    await page.getByRole('link', { name: '‹ Chats' }).click();
    await list.waitFor();
    expect((await list.boundingBox())!.height).toBeGreaterThan(600);
    expect(complaints).toEqual([]);
  });

  it('an admin erases a user after typing the id, with the keyboard only', async () => {
    const { page, ask, complaints } = await demo('/users');
    const row = page.locator('.users tr', { hasText: 'local' });
    await row.getByRole('button', { name: 'Erase' }).press('Enter');
    await page.keyboard.type('loca');
    await page.keyboard.press('Enter');
    await page.keyboard.type('l');
    expect((await ask('{ chats { totalCount } }')).data).toEqual({ chats: { totalCount: 1 } });
    await page.keyboard.press('Enter');
    await page.getByText(/^local was erased: 1 chat with \d+ messages\.$/).waitFor();
    await expect.poll(() => page.locator('.users tbody tr').count()).toBe(0);
    await expect.poll(() => page.locator('.chats li a').count()).toBe(0);
    expect((await ask('{ chats { totalCount } }')).data).toEqual({ chats: { totalCount: 0 } });
    expect(complaints).toEqual([]);
  });

  it('admins see users, their chats and the health of the server', async () => {
    const { page, ask, complaints } = await demo();
    for (const [id, userId] of [
      ['ann-1', 'ann'],
      ['bob-1', 'bob'],
    ]) {
      const input = { id, userId, title: id };
      await ask('mutation ($input: CreateChatInput!) { createChat(input: $input) { __typename } }', { input });
    }
    await page.getByText('Filter').click();
    await page.getByRole('link', { name: 'Users' }).click();
    await page.getByText('The server is ready.').waitFor();
    await expect.poll(async () => Number(await page.locator('.glance dd').last().textContent())).toBeGreaterThan(10);
    await page.getByRole('link', { name: 'Chats of ann' }).click();
    await expect.poll(() => page.locator('.chats li b').allTextContents()).toEqual(['ann-1']);
    expect(complaints).toEqual([]);
  });

  it('the first thread is shown with at most five requests, from a page of at most 200 kB', async () => {
    const { url } = await startListening({ demo: true });
    const { page } = await openExplorer(browser());
    let requests = 0;
    let bytes = 0;
    page.on('request', (sent) => {
      if (sent.method() === 'POST') requests++;
    });
    page.on('requestfinished', (sent) => {
      if (/\/(assets\/.*)?$/.test(new URL(sent.url()).pathname)) {
        void sent.sizes().then(({ responseBodySize }) => (bytes += responseBodySize));
      }
    });
    await page.goto(rootOf(url));
    await page.locator('.chats li a').first().waitFor();
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(200_000);
    await page.locator('.chats li a').first().click();
    await messageItem(page, 'What do we eat there?').waitFor();
    expect(requests).toBeLessThanOrEqual(5);
  });

  it.each(['light', 'dark'] as const)('axe finds no violations in any view, %s', async (colorScheme) => {
    const { page, go } = await demo();
    await page.emulateMedia({ colorScheme });
    const views: [path: string, shown: string][] = [
      ['/', '.chats li'],
      ['/chats/demo/thread', '.message-list li'],
      ['/chats/demo/graph', 'canvas'],
      ['/chats/demo/compare', 'ins'],
      ['/chats/demo/history', '.history li'],
      ['/users', '.users td'],
    ];
    for (const [path, shown] of views) {
      await go(path);
      await page.locator(shown).first().waitFor();
      if (shown === '.message-list li') {
        await page.getByText('4 branches, 1 checkpoint').click();
        await page.locator('.actions > summary').first().click();
      }
      expect(await violations(page), path).toEqual([]);
    }
  });
});
