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
    await page.getByRole('button', { name: 'Filter' }).click();
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
    await page.locator('.chats').getByRole('button', { name: 'New chat' }).press('Enter');
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
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('main5 messages');
  });

  it('a deleted chat leaves the list, is back after an undo, and is deleted once the notice is closed', async () => {
    const { page, ask, complaints } = await demo('/chats/demo/thread');
    const countOf = async () => (await ask('{ chats { totalCount } }')).data;
    const remove = async () => {
      await page.getByRole('button', { name: 'More actions' }).press('Enter');
      await page.getByRole('menuitem', { name: 'Delete chat' }).press('Enter');
      await page.getByText('There are no chats yet.').waitFor();
      await expect.poll(() => new URL(page.url()).hash).toBe('#/');
    };
    await remove();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page
      .locator('.chats')
      .getByRole('link', { name: /A weekend in Portugal/ })
      .click();
    expect(await countOf()).toEqual({ chats: { totalCount: 1 } });
    await remove();
    await page.getByText('Deleted A weekend in Portugal').hover();
    expect(await countOf()).toEqual({ chats: { totalCount: 1 } });
    await page.getByRole('button', { name: 'Close' }).click();
    await expect.poll(countOf).toEqual({ chats: { totalCount: 0 } });
    expect(complaints).toEqual([]);
  });

  it('a page that closes before the end of the undo still deletes the chat', async () => {
    const { page, ask } = await demo('/chats/demo/thread');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete chat' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.goto('about:blank');
    await expect.poll(async () => (await ask('{ chats { totalCount } }')).data).toEqual({ chats: { totalCount: 0 } });
  });

  it('chats are pinned, and several are selected and deleted together', async () => {
    const { page, ask } = await demo();
    for (const [id, title] of [
      ['a', 'Bread'],
      ['b', null],
    ]) {
      await ask('mutation ($input: CreateChatInput!) { createChat(input: $input) { __typename } }', {
        input: { id, title },
      });
    }
    const save = 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';
    const messages = [{ name: 'user', content: { text: 'How long must dough rest?' } }];
    await ask(save, { input: { chatId: 'b', messages } });
    const list = page.locator('.chats');
    await list.getByRole('link', { name: /“How long must dough rest\?”/ }).waitFor();
    const act = async (title: string, action: string) => {
      await page.getByRole('button', { name: `Actions for ${title}` }).press('Enter');
      await page.getByRole('menuitem', { name: action, exact: true }).press('Enter');
    };
    await act('A weekend in Portugal', 'Pin');
    await expect.poll(() => list.getByRole('heading').allTextContents()).toEqual(['Pinned', 'Today']);
    await page.reload();
    await expect.poll(() => list.locator('li b').first().textContent()).toBe('A weekend in Portugal');
    await act('Bread', 'Select');
    await page.getByLabel('Select “How long must dough rest?”').check();
    await page.getByRole('button', { name: 'Delete the selected chats' }).click();
    await page.getByText('Deleted 2 chats').waitFor();
    await expect.poll(() => list.locator('li b').allTextContents()).toEqual(['A weekend in Portugal']);
  });

  it('the command palette opens chats, messages, branches and actions with the keyboard only', async () => {
    const { page, ask, complaints } = await demo();
    await page.locator('.chats li').first().waitFor();
    const run = async (query: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
      await page.keyboard.type(query);
      await page.getByRole('option').first().waitFor();
    };
    await run('weekend in');
    await page.keyboard.press('Enter');
    await messageItem(page, 'What do we eat there?').waitFor();
    await run('packing');
    await page.keyboard.press('Enter');
    await messageItem(page, 'In Porto, always.').waitFor();
    await run('Alfama');
    await page.getByRole('option', { name: /old tram to Alfama/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await run('Show History');
    await page.keyboard.press('Enter');
    await page.locator('.history li').first().waitFor();
    const { data } = await ask('{ chat(id: "demo") { activeBranch { name } } }');
    expect(data).toEqual({ chat: { activeBranch: { name: 'packing' } } });
    expect(complaints).toEqual([]);
  });

  it('the chosen colours outlast a reload', async () => {
    const { page } = await demo();
    const scheme = () => page.evaluate(() => getComputedStyle(document.body).colorScheme);
    await page.getByRole('button', { name: 'Dark colours' }).click();
    await expect.poll(scheme).toBe('dark');
    await page.reload();
    await page.getByRole('button', { name: 'Light colours' }).waitFor();
    expect(await scheme()).toBe('dark');
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
    await page.getByRole('link', { name: 'Chats', exact: true }).click();
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
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Users and server' }).click();
    await page.getByText('The server is ready.').waitFor();
    await expect.poll(async () => Number(await page.locator('.glance dd').last().textContent())).toBeGreaterThan(10);
    await page.getByRole('link', { name: 'Chats of ann' }).click();
    await expect.poll(() => page.locator('.chats li b').allTextContents()).toEqual(['ann-1']);
    expect(complaints).toEqual([]);
  });

  it('the first thread is shown with at most five requests, from scripts of at most 220 kB', async () => {
    const { url } = await startListening({ demo: true });
    const { page } = await openExplorer(browser());
    let requests = 0;
    let bytes = 0;
    page.on('request', (sent) => {
      if (sent.method() === 'POST') requests++;
    });
    page.on('requestfinished', (sent) => {
      // The text is readable before the worker has rendered it.
      if (/\/(assets\/(?!markdown-worker).*)?$/.test(new URL(sent.url()).pathname)) {
        void sent.sizes().then(({ responseBodySize }) => (bytes += responseBodySize));
      }
    });
    await page.goto(rootOf(url));
    await page.locator('.chats li a').first().waitFor();
    await page.locator('.chats li a').first().click();
    await messageItem(page, 'What do we eat there?').waitFor();
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(220_000);
    expect(requests).toBeLessThanOrEqual(5);
  });

  it.each(['light', 'dark'] as const)('axe finds no violations in any view, %s', async (colorScheme) => {
    const { page, go } = await demo();
    await page.emulateMedia({ colorScheme });
    const views: [path: string, shown: string][] = [
      ['/', '.chats li'],
      ['/chats/demo/thread', '.message-list li'],
      ['/chats/demo/graph', 'canvas'],
      ['/chats/demo/split', 'canvas'],
      ['/chats/demo/compare', 'ins'],
      ['/chats/demo/history', '.history li'],
      ['/users', '.users td'],
    ];
    for (const [path, shown] of views) {
      await go(path);
      await page.locator(shown).first().waitFor();
      if (shown === '.message-list li') {
        for (const name of ['main 5 messages', 'More for this message', 'More actions', 'Export']) {
          await page.getByRole('button', { name }).first().click();
          await page.getByRole(name === 'Export' ? 'dialog' : 'menu').waitFor();
          expect(await violations(page), name).toEqual([]);
          await page.keyboard.press('Escape');
        }
        await page.getByRole('button', { name: 'Details' }).first().click();
        await page.getByRole('dialog').waitFor();
        expect(await violations(page), 'details').toEqual([]);
        await page.keyboard.press('Escape');
      }
      expect(await violations(page), path).toEqual([]);
    }
  });
});
