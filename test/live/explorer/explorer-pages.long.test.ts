/** The pages of the explorer: search, new chats, colours, failures, users. */
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { chooseIn, isSaved, messageItem, openDemo } from './explorer-window.js';

describe.skipIf(chromiumPath === undefined)(`in Chromium${noChromium}`, () => {
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

  it('a chat is created with the keyboard only, and each of its views is empty', async () => {
    const { page, ask, go, complaints } = await demo();
    await page.locator('.chats').getByRole('button', { name: 'New chat' }).press('Enter');
    await page.getByText('No messages yet.').waitFor();
    const { hash } = new URL(page.url());
    expect(hash).toMatch(/\/split$/);
    const show = (view: string) => go(hash.slice(1).replace('split', view));
    const nav = page.getByRole('navigation', { name: 'Views' });
    await page.getByRole('button', { name: 'Copy npm run answer -- --model echo' }).waitFor();
    await show('graph');
    await nav.locator('[aria-current="page"]', { hasText: 'Graph' }).waitFor();
    await page.getByText('No messages yet.').waitFor();
    await show('compare');
    await page.getByText('Only one branch has messages').waitFor();
    // The former name of the graph, as in old links.
    await show('picture');
    await nav.locator('[aria-current="page"]', { hasText: 'Graph' }).waitFor();
    await show('split');
    await expect
      .poll(() => page.getByLabel('Write a message').evaluate((it) => it === document.activeElement))
      .toBe(true);
    await page.keyboard.type('Is anybody');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('there?');
    await page.keyboard.press('Enter');
    await isSaved(messageItem(page, 'there?'));
    const { data } = await ask('{ chats(first: 1) { edges { node { lastMessage { text } } } } }');
    expect(data).toEqual({ chats: { edges: [{ node: { lastMessage: { text: 'Is anybody\nthere?' } } }] } });
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
    for (const view of ['thread', 'split', 'graph', 'compare', 'history']) {
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
    const failure = page.getByRole('alert').filter({ hasText: 'Its code could not be loaded.' });
    await failure.waitFor();
    await page.getByRole('link', { name: 'Thread' }).click();
    await messageItem(page, 'What do we eat there?').waitFor();
    await page.getByRole('link', { name: 'Graph', exact: true }).click();
    await failure.waitFor();
    await page.unroute(/graph-.*\.js$/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('application').waitFor();
  });

  it('a part whose code cannot be loaded removes neither the thread nor a text, and loads at the next attempt', async () => {
    const { page, go } = await demo('/');
    await page.locator('.chats li').first().waitFor();
    await page.route(/printed-thread/, (route) => route.abort());
    const unprinted = page.waitForEvent('requestfailed', (request) => request.url().includes('printed-thread'));
    await go('/chats/demo/thread');
    const composer = page.getByLabel('Write a message');
    await composer.fill('Not sent yet');
    await unprinted;

    const press = (name: string) => page.getByRole('button', { name, exact: true }).first().click();
    const choose = async (name: string) => {
      await press('More actions');
      await page.getByRole('menuitem', { name }).click();
    };
    const bring = async () => {
      const choosing = page.waitForEvent('filechooser');
      await choose('Import');
      await (await choosing).setFiles([{ name: 'none.json', mimeType: 'application/json', buffer: Buffer.from('{}') }]);
    };
    const dialog = (name: string) => page.getByRole('dialog', { name });
    const parts: [open: () => Promise<void>, opened: ReturnType<typeof dialog>][] = [
      [() => page.keyboard.press('Control+k'), dialog('Command palette')],
      [() => choose('Keyboard shortcuts'), dialog('Keyboard shortcuts')],
      [() => choose('Rename chat'), dialog('Rename chat')],
      [() => choose('Export'), dialog('Export')],
      [() => chooseIn(messageItem(page, 'What do we eat there?'), 'Details'), dialog('Details')],
      [bring, page.getByRole('region', { name: 'Imports' })],
    ];
    const failure = page.getByText('Its code could not be loaded.');
    await page.route(/assets/, (route) => route.abort());
    await press('Filter');
    await page.getByRole('alert').filter({ has: failure }).waitFor();
    await press('Filter');
    await expect.poll(() => failure.count()).toBe(0);
    for (const [open] of [...parts, [() => choose('Print')]] as const) {
      await open();
      await failure.first().waitFor();
      await page.getByLabel('Close').click();
      await expect.poll(() => failure.count()).toBe(0);
    }
    expect(await composer.inputValue()).toBe('Not sent yet');
    expect(await messageItem(page, 'What do we eat there?').count()).toBe(1);

    await page.unrouteAll();
    await press('Filter');
    await page.getByRole('form', { name: 'Filter' }).waitFor();
    for (const [open, opened] of parts) {
      await open();
      await opened.waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => opened.count()).toBe(0);
    }
    const printing = page.evaluate(() => new Promise<void>((resolve) => (window.print = resolve)));
    await choose('Print');
    await printing;
    expect(await page.locator('.printed').getByText('What do we eat there?').count()).toBe(1);
    expect(await composer.inputValue()).toBe('Not sent yet');
  });

  it('an admin erases a user after typing the id, with the keyboard only', async () => {
    const { page, ask, complaints } = await demo('/users');
    const row = page.locator('.users tr', { hasText: 'local' });
    await row.getByRole('button', { name: 'Erase' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Erase local' });
    await dialog.getByLabel('Make sure that the user cannot sign in any more').waitFor();
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
    const { page, ask, complaints } = await openDemo(browser(), '', { storageQuotaBytes: 1_000_000_000 });
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
    const memory = await page.locator('.glance dd').last().textContent();
    expect(Number(memory?.replaceAll(',', ''))).toBeGreaterThan(10);
    await page.getByLabel('Search users').fill('ann');
    await expect.poll(() => page.locator('.users tbody tr').count()).toBe(1);
    const row = page.locator('.users tr', { hasText: 'ann' });
    await row.getByRole('button', { name: 'Quota' }).press('Enter');
    await page.getByLabel('Storage of ann in MB').fill('5');
    await page.keyboard.press('Enter');
    await row.getByText(/^\d+ KB of 5 MB$/).waitFor();
    await row.getByRole('button', { name: 'Hold' }).press('Enter');
    await page.getByLabel('Reason of the legal hold on ann').fill('Case 12');
    await page.keyboard.press('Enter');
    await row.getByTitle('Case 12').waitFor();
    await row.getByRole('button', { name: 'Lift hold' }).press('Enter');
    await expect.poll(() => row.getByTitle('Case 12').count()).toBe(0);
    await page.getByRole('link', { name: 'Chats of ann' }).click();
    await expect.poll(() => page.locator('.chats li b').allTextContents()).toEqual(['ann-1']);
    expect(complaints).toEqual([]);
  });
});
