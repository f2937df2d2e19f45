/** Each view of the explorer, with a mouse and a keyboard. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { startListening } from '../../support/server/listening-server.js';
import { AUTH, bearer } from '../../support/server/tokens.js';
import { isInView, openExplorer, rootOf, violations } from './explorer-window.js';

describe.skipIf(chromiumPath === undefined)(`in Chromium${noChromium}`, { timeout: 120_000 }, () => {
  const browser = shareBrowser();

  async function demo(path = '') {
    const server = await startListening({ demo: true });
    const window = await openExplorer(browser());
    const go = (to: string) => window.page.goto(new URL(`/#${to}`, server.url).href);
    await go(path);
    return { ...server, ...window, go };
  }
  const said = (page: Page, text: string) => page.locator('.said li', { hasText: text });

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
    await page.goto(thread.replace('/thread', '/picture'));
    await page.getByText('No messages yet.').waitFor();
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
    await said(page, 'there?').locator('time').waitFor();
    const { data } = await ask('{ chats(first: 1) { edges { node { lastMessage { text } } } } }');
    expect(data).toEqual({ chats: { edges: [{ node: { lastMessage: { text: 'Is anybody\nthere?' } } }] } });
    expect(complaints).toEqual([]);
  });

  it('a skip link leads keyboard users past the chats', async () => {
    const { page } = await demo('/chats/demo/thread');
    await said(page, 'What do we eat there?').waitFor();
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
    for (const view of ['thread', 'picture', 'compare', 'history']) {
      await go('/');
      await go(`/chats/nobody-knows/${view}`);
      await page.locator('main .hint', { hasText: 'Chat not found.' }).waitFor();
    }
    await go('/chats/demo/compare/no-message');
    await page.getByText('Message not found.').waitFor();
  });

  it('a view whose code cannot be loaded reports this, and keeps the rest of the page', async () => {
    const { page, go } = await demo('/chats/demo/thread');
    await page.route(/picture-.*\.js$/, (route) => route.abort());
    await go('/chats/demo/picture');
    await page.getByRole('alert').filter({ hasText: 'This view failed.' }).waitFor();
    await page.getByRole('link', { name: 'Thread' }).click();
    await said(page, 'What do we eat there?').waitFor();
    await page.getByRole('link', { name: 'Graph', exact: true }).click();
    await page.unroute(/picture-.*\.js$/);
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

  it('cancelling a form returns the focus to its button', async () => {
    const { page } = await demo('/chats/demo/thread');
    const rename = page.locator('.heading').getByRole('button', { name: 'Rename' });
    const hasFocus = () => rename.evaluate((it) => it === document.activeElement);
    await rename.press('Enter');
    await page.keyboard.press('Escape');
    await expect.poll(hasFocus).toBe(true);
    await page.keyboard.press('Enter');
    await page.keyboard.type('Another title');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Another title' }).waitFor();
    await expect.poll(hasFocus).toBe(true);
  });

  it('a message is edited, another version is saved, and a branch continues before it', async () => {
    const { page, ask, complaints } = await demo('/chats/demo/thread');
    const act = async (text: string, what: string) => {
      await said(page, text).locator('.actions > summary').click();
      await said(page, text).getByRole('button', { name: what, exact: true }).click();
    };
    await act('What do we eat there?', 'Edit');
    await page.getByLabel('New text').fill('What do we drink there?');
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await said(page, 'What do we drink there?').getByText('2 of 2').waitFor();

    await act('In Porto', 'Another version');
    await page.getByLabel('New text').fill('In **Coimbra**, for once.');
    await page.getByRole('button', { name: 'Another version', exact: true }).click();
    await said(page, 'In Coimbra').locator('strong', { hasText: 'Coimbra' }).waitFor();

    await act('Where should we spend', 'Checkpoint');
    await page.getByLabel('Name of the checkpoint').fill('a crossroads');
    await page.keyboard.press('Enter');
    await page.getByText('2 checkpoints').waitFor();
    await said(page, 'Where should we spend').getByRole('button', { name: 'Continue from here' }).click();
    await expect.poll(() => said(page, 'In Coimbra').count()).toBe(0);
    const { data } = await ask(
      '{ chat(id: "demo") { activeBranch { head { text } } checkpoint(name: "a crossroads") { message { text } } } }',
    );
    const text = 'Where should we spend a weekend in Portugal?';
    expect(data).toEqual({ chat: { activeBranch: { head: { text } }, checkpoint: { message: { text } } } });
    expect(complaints).toEqual([]);
  });

  it('a named branch begins at a message, whose data are shown; an existing name is refused', async () => {
    const { page, ask } = await demo('/chats/demo/thread');
    const first = said(page, 'Where should we spend');
    await first.locator('.actions > summary').click();
    await first.getByText('JSON', { exact: true }).click();
    await first.getByText('"id": "demo-question"').waitFor();
    const name = async (branch: string) => {
      await first.getByRole('button', { name: 'Branch here' }).click();
      await page.getByLabel('Name of the branch').fill(branch);
      await page.keyboard.press('Enter');
    };
    await name('packing');
    await page.getByRole('alert').filter({ hasText: 'packing' }).waitFor();
    await name('by the river');
    await page.getByText('5 branches, 1 checkpoint').waitFor();
    const { data } = await ask('{ chat(id: "demo") { activeBranch { name head { id } } } }');
    expect(data).toEqual({ chat: { activeBranch: { name: 'by the river', head: { id: 'demo-question' } } } });
  });

  it('branches are switched, renamed, and deleted after their name was typed', async () => {
    const { page, ask } = await demo('/chats/demo/thread');
    await page.getByText('4 branches, 1 checkpoint').click();
    const row = (name: string) => page.locator('.branches li', { hasText: name });
    await row('packing').getByRole('button', { name: 'Switch' }).click();
    await said(page, 'In Porto, always.').waitFor();
    await row('packing').getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('Name of the branch').fill('what to take along');
    await page.keyboard.press('Enter');
    await row('what to take along').waitFor();
    await row('main-v2-v2').getByRole('button', { name: 'Delete' }).click();
    const typed = page.getByLabel('Type main-v2-v2 to delete it');
    await typed.fill('main');
    await page.keyboard.press('Enter');
    await typed.fill('main-v2-v2');
    await page.keyboard.press('Enter');
    await page.getByText('3 branches, 1 checkpoint').waitFor();
    const { data } = await ask('{ chat(id: "demo") { branches { edges { node { name } } } } }');
    expect(data).toEqual({
      chat: { branches: { edges: ['main', 'main-v2', 'what to take along'].map((name) => ({ node: { name } })) } },
    });
  });

  it('two branches are shown side by side with marked differences', async () => {
    const { page, complaints } = await demo('/chats/demo/compare');
    await page.getByLabel('Right').first().selectOption({ label: 'main-v2' });
    await page.locator('ins', { hasText: 'Lisbon' }).waitFor();
    expect(await page.locator('del').first().textContent()).toBe('Porto');
    expect(await page.getByRole('region', { name: 'Common until' }).textContent()).toContain('a weekend in Portugal?');
    expect(complaints).toEqual([]);
  });

  it('the history shows the moves of heads, and the chat at an event', async () => {
    const { page, complaints } = await demo('/chats/demo/history');
    await expect.poll(() => page.title()).toBe('A weekend in Portugal – Parley');
    await page.getByLabel('Show').selectOption('Head moves');
    await page.getByRole('link', { name: 'Where should we spend a weekend' }).first().waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Head of main:' }).last().getByRole('button').click();
    const then = page.locator('section', { hasText: 'The chat after event' });
    await then.getByText('main (active)').waitFor();
    expect(await then.getByRole('heading').evaluate(isInView)).toBe(true);
    expect(await then.locator('.step').first().textContent()).toContain('You are a travel guide');
    expect(await then.textContent()).not.toContain('Lisbon');

    await then.getByRole('button', { name: 'Close' }).click();
    await page.setViewportSize({ width: 390, height: 500 });
    await page.getByRole('listitem').filter({ hasText: 'Head of main:' }).last().getByRole('button').click();
    await expect.poll(() => then.getByRole('heading').evaluate(isInView)).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('a draft of another client grows, and can be stopped', async () => {
    const { page, ask, go } = await demo();
    await go('/chats/demo/thread');
    await said(page, 'What do we eat there?').waitFor();
    await ask('mutation { startDraft(input: { chatId: "demo", id: "d" }) { __typename } }');
    const append = (offset: number, delta: string) =>
      ask(`mutation ($input: AppendToDraftInput!) { appendToDraft(input: $input) { __typename } }`, {
        input: { chatId: 'demo', id: 'd', offset, chunks: [{ type: 'text-delta', id: 't', delta }] },
      });
    await append(0, 'Sardines');
    await said(page, 'Sardines').getByText('streaming').waitFor();
    await append(1, ', of course');
    await said(page, 'Sardines, of course').getByRole('button', { name: 'Stop' }).click();
    await said(page, 'Sardines').getByText('stopping').waitFor();
    await ask('mutation { finishDraft(input: { chatId: "demo", id: "d" }) { __typename } }');
    await said(page, 'Sardines, of course').locator('time').waitFor();
  });

  it('a small screen shows either the list or the open chat, with a way back', async () => {
    const { page, go, complaints } = await demo();
    await page.setViewportSize({ width: 420, height: 800 });
    const list = page.locator('.chats');
    await list.getByRole('link', { name: /Portugal/ }).click();
    await page.locator('.said li').first().waitFor();
    expect(await list.isVisible()).toBe(false);
    const { width } = (await page.locator('.said').boundingBox())!;
    expect(width).toBeGreaterThan(380);
    await go('/chats/demo/picture');
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

  it('hostile content is shown as text, and is not executed', async () => {
    const { page, ask, complaints } = await demo();
    const texts = [
      '<script>window.hurt = 1</script><img src=x onerror="window.hurt = 1"><iframe srcdoc="<script>parent.hurt=1</script>">',
      '[press](javascript:window.hurt=1) ![seen](https://example.invalid/pixel.png) <a href="javascript:hurt=1">here</a>',
      'right \u202E to left \u2066 and \u0000back'.replace('\u0000', ''),
      '$$\\href{javascript:hurt=1}{x}$$ $$\\unknown{$$',
      'x'.repeat(900_000),
    ];
    const save = `mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }`;
    for (const text of texts)
      await ask(save, { input: { chatId: 'demo', messages: [{ name: 'user', content: { text } }] } });
    await page.goto(new URL('/#/chats/demo/thread', page.url()).href);
    await page.mouse.move(700, 400);
    const shown = page.locator('.said li');
    await shown.filter({ hasText: 'xxxxxxxxxxxx' }).waitFor();
    for (let n = 0; n < 400 && (await shown.filter({ hasText: '<script>' }).count()) === 0; n++)
      await page.mouse.wheel(0, -20_000);
    await shown.filter({ hasText: '<script>window.hurt' }).waitFor();
    expect(await page.evaluate('window.hurt')).toBeUndefined();
    expect(await page.locator('main img, main iframe, main script, a[href^="javascript:"]').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('a link to a chat of another user shows nothing of it', async () => {
    const { url } = await startListening({ auth: AUTH, demo: true });
    const { page } = await openExplorer(browser());
    await page.goto(new URL('/#/chats/demo/thread', url).href);
    await page.getByLabel('Token').fill((await bearer('alice')).authorization);
    await page.getByRole('button').click();
    await page.getByText('Chat not found.').waitFor();
    await page.getByText('Filter').click();
    await page.getByLabel('Title').waitFor();
    expect(await page.getByText('Users').count()).toBe(0);
  });

  it('the explorer reconnects to a restarted server, and shows all messages of the meantime', async () => {
    const first = await startListening({ demo: true });
    const { port } = new URL(first.url);
    const { page } = await openExplorer(browser());
    await page.goto(new URL('/#/chats/demo/thread', first.url).href);
    await said(page, 'What do we eat there?').waitFor();
    await first.stop();
    await page.getByLabel('Write a message').fill('Are you there?');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await said(page, 'Are you there?').getByText('waiting for the server').waitFor();
    await startListening({ databaseUrl: first.databaseUrl, port: Number(port) });
    await said(page, 'Are you there?')
      .getByRole('time')
      .or(said(page, 'Are you there?').locator('time'))
      .first()
      .waitFor();
  });

  it('requests during an outage are completed after it', async () => {
    const first = await startListening({ demo: true });
    const { port } = new URL(first.url);
    const { page } = await openExplorer(browser());
    await page.goto(new URL('/#/chats/demo/compare', first.url).href);
    await page.locator('ins').first().waitFor();
    await first.stop();
    await page.getByText('The server is unavailable.').waitFor();
    await page.getByLabel('Right').first().selectOption({ label: 'packing' });
    await page.locator('main .hint', { hasText: 'Loading…' }).waitFor();
    await startListening({ databaseUrl: first.databaseUrl, port: Number(port) });
    await page.getByText('In Porto, always.').waitFor();
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
    await said(page, 'What do we eat there?').waitFor();
    expect(requests).toBeLessThanOrEqual(5);
  });

  it.each(['light', 'dark'] as const)('axe finds no violations in any view, %s', async (colorScheme) => {
    const { page, go } = await demo();
    await page.emulateMedia({ colorScheme });
    const rooms: [path: string, shown: string][] = [
      ['/', '.chats li'],
      ['/chats/demo/thread', '.said li'],
      ['/chats/demo/picture', 'canvas'],
      ['/chats/demo/compare', 'ins'],
      ['/chats/demo/history', '.history li'],
      ['/users', '.users td'],
    ];
    for (const [path, shown] of rooms) {
      await go(path);
      await page.locator(shown).first().waitFor();
      if (shown === '.said li') {
        await page.getByText('4 branches, 1 checkpoint').click();
        await page.locator('.actions > summary').first().click();
      }
      expect(await violations(page), path).toEqual([]);
    }
  });
});
