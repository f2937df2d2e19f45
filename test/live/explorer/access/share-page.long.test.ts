/** The page of a share in a browser. */
import { describe, expect, it } from 'vitest';
import { startWithShares } from '../../../features/shares/share-server.js';
import { chromiumPath, noChromium, shareBrowser } from '../../../support/chromium.js';
import { bearer } from '../../../support/server/tokens.js';
import { openExplorer, violations } from '../explorer-window.js';

describe.skipIf(chromiumPath === undefined)(`with a browser${noChromium}`, () => {
  const browser = shareBrowser();

  it('shows the messages without sign-in, on a phone in dark mode, until the share is revoked', async () => {
    const { as, alice, origin, save, share } = await startWithShares();
    const image = {
      type: 'file',
      mediaType: 'image/png',
      filename: 'map.png',
      url: 'https://elsewhere.example/map.png',
    };
    const parts = [
      { type: 'text', text: '**Bold** <img src=x onerror=alert(1)>' },
      image,
      { type: 'reasoning', text: 'private' },
    ];
    await save('one', [{ name: 'assistant', content: { data: { parts } } }]);
    await save(
      'one',
      Array.from({ length: 120 }, (_, n) => ({ name: 'user', content: { text: `message ${n}` } })),
    );
    const { id, token } = await share({ title: 'A shared path' });

    const { page, complaints } = await openExplorer(browser());
    const urls: string[] = [];
    page.on('request', (request) => urls.push(request.url()));
    await page.setViewportSize({ width: 360, height: 640 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto(`${origin}/s#${token}`);
    await page.getByRole('heading', { name: 'A shared path' }).waitFor();
    const messages = page.locator('.messages > li');
    await expect.poll(() => messages.count()).toBe(100);
    await page.locator('strong', { hasText: 'Bold' }).waitFor();
    expect(await page.getByRole('link', { name: 'map.png' }).getAttribute('rel')).toContain('noreferrer');
    expect(await page.locator('body').innerText()).not.toContain('private');
    await page.getByRole('button', { name: 'Show more messages' }).click();
    await expect.poll(() => messages.count()).toBe(122);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await violations(page)).toEqual([]);
    // The fragment stays in the browser.
    expect(urls.filter((url) => url.includes(token) && !url.includes('#'))).toEqual([]);
    expect(urls.filter((url) => !url.startsWith(origin))).toEqual([]);

    await as(alice, `mutation { revokeShare(input: { id: "${id}" }) { __typename } }`);
    await page.reload();
    await page.getByText('This link is invalid, expired or revoked.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('has a graph that can be walked, and continues as a chat of the reader', async () => {
    const { as, origin, save, share } = await startWithShares();
    const bob = await bearer('bob');
    await save('one', [
      { name: 'user', content: { text: 'What do I buy, and how do I read it?' } },
      {
        name: 'assistant',
        content: { text: '## A board\n\n| Part | Price |\n| --- | --- |\n| BME280 | 4 € |\n\n```js\nread();\n```' },
      },
      ...Array.from({ length: 20 }, (_, n) => ({ name: 'user', content: { text: `message ${n}` } })),
    ]);
    const { token } = await share({ title: 'A weather station' });
    const { page, complaints } = await openExplorer(browser());
    const urls: string[] = [];
    page.on('request', (request) => urls.push(request.url()));
    await page.goto(`${origin}/s#${token}`);
    await page.getByRole('heading', { name: 'A weather station' }).waitFor();
    await page.getByText(`Shared on ${new Date().toLocaleDateString('en-US', { dateStyle: 'long' })}`).waitFor();
    await page.locator('table td', { hasText: 'BME280' }).waitFor();
    const graph = page.getByRole('complementary', { name: 'This conversation' });
    await graph.getByRole('button', { name: 'A board', exact: true }).waitFor();
    const last = graph.getByRole('button', { name: 'message 19' });
    await last.press('Enter');
    await expect
      .poll(() =>
        page
          .locator('.messages > li')
          .last()
          .evaluate((it) => it === document.activeElement),
      )
      .toBe(true);
    await expect.poll(() => last.getAttribute('aria-current')).toBe(null);
    expect(await violations(page)).toEqual([]);

    await page.getByRole('button', { name: 'Continue in Parley' }).press('Enter');
    await page.getByLabel('Token').fill(bob.authorization);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('.message-list li', { hasText: 'message 19' }).waitFor();
    expect(urls.filter((url) => url.includes(token) && !url.includes('#'))).toEqual([]);

    // A link alone copies nothing.
    await page.goto(`${origin}/#/shared/${token}`);
    await page.getByRole('button', { name: 'Copy to my chats' }).waitFor();
    const { data } = await as(bob, '{ chats { totalCount } }');
    expect(data).toEqual({ chats: { totalCount: 2 } });
    expect(complaints).toEqual([]);
  });

  it('shows several branches, one of them by its address, and copies the open one', async () => {
    const { as, alice, origin, save } = await startWithShares();
    const bob = await bearer('bob');
    const text = (content: string, name = 'user') => ({ id: content, name, content: { text: content } });
    await save('one', [text('one board', 'assistant'), text('over Wi-Fi'), text('no account', 'assistant')]);
    await as(
      alice,
      `mutation { rewind(input: { chatId: "one", at: { message: "one board" }, branchName: "on battery" }) { __typename }
        deep: rewind(input: { chatId: "one", at: { message: "one board" }, branchName: "not shared" }) { __typename } }`,
    );
    await save('one', [text('without a cable?'), text('seven weeks', 'assistant')], 'on battery');
    await save('one', [text('private question')], 'not shared');
    await as(
      alice,
      'mutation { rewind(input: { chatId: "one", at: { message: "without a cable?" }, branchName: "solar" }) { __typename } }',
    );
    await save('one', [text('a panel', 'assistant')], 'solar');
    await as(alice, 'mutation { switchBranch(input: { chatId: "one", name: "main" }) { __typename } }');

    const { page } = await openExplorer(browser());
    await page.goto(`${origin}/#/chats/one`);
    await page.getByLabel('Token').fill(alice['authorization'] ?? '');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Share' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share' });
    await dialog.getByLabel('Title that readers see').fill('A station');
    await dialog.getByLabel('Your name for readers').fill('Noor');
    await dialog.getByLabel('Contents').selectOption('Chosen branches');
    for (const name of ['on battery', 'solar']) await dialog.getByRole('checkbox', { name }).check();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create link' }).click();
    const link = await dialog.getByLabel('New link').inputValue();

    const { page: shown, complaints } = await openExplorer(browser());
    const texts = () => shown.locator('.messages > li .message-body').allInnerTexts();
    const authors = () => shown.locator('.messages > li > header').allInnerTexts();
    await shown.goto(link);
    await shown.getByRole('heading', { name: 'A station' }).waitFor();
    await shown.getByText('Shared by Noor on').waitFor();
    await expect.poll(texts).toEqual(['words in one', 'one board', 'over Wi-Fi', 'no account']);
    // The time once a day.
    expect(await authors()).toEqual([expect.stringMatching(/^User\s.*20\d\d/), 'Assistant', 'User', 'Assistant']);
    const graph = shown.getByRole('complementary', { name: 'This conversation' });
    expect(await violations(shown)).toEqual([]);
    await graph.getByRole('button', { name: 'solar 2 other messages' }).waitFor();
    await graph.getByRole('button', { name: 'on battery 2 other messages' }).press('Enter');
    await expect.poll(texts).toEqual(['words in one', 'one board', 'without a cable?', 'seven weeks']);
    const focused = () => shown.evaluate('document.activeElement.id');
    await expect.poll(focused).toBe('message-2');
    await graph.getByRole('button', { name: 'solar 1 other message' }).waitFor();
    const token = new URL(link).hash;
    expect(shown.url()).toBe(`${origin}/s?branch=on+battery${token}`);
    await shown.reload();
    await expect.poll(texts).toEqual(['words in one', 'one board', 'without a cable?', 'seven weeks']);
    expect(await shown.locator('body').innerText()).not.toMatch(/private|not shared/);
    const branches = graph.getByRole('list', { name: 'Branches' }).getByRole('button');
    expect(await branches.allInnerTexts()).toEqual([
      expect.stringContaining('main'),
      expect.stringContaining('on battery'),
      expect.stringContaining('solar'),
    ]);
    await branches.first().click();
    await expect.poll(texts).toEqual(['words in one', 'one board', 'over Wi-Fi', 'no account']);
    expect(shown.url()).toBe(`${origin}/s${token}`);
    await branches.nth(1).click();
    await expect.poll(texts).toContain('seven weeks');
    await shown.getByRole('button', { name: 'Continue in Parley' }).click();
    await shown.getByLabel('Token').fill(bob.authorization);
    await shown.getByRole('button', { name: 'Sign in' }).click();
    await shown.locator('.message-list li', { hasText: 'seven weeks' }).waitFor();
    expect(complaints).toEqual([]);
  });
});

it('GET /s may not be indexed, framed or sent as a referrer', async () => {
  const { origin } = await startWithShares();
  const { status, headers } = await fetch(`${origin}/s`);
  expect([status, headers.get('x-robots-tag'), headers.get('referrer-policy')]).toEqual([
    200,
    'noindex, nofollow',
    'no-referrer',
  ]);
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
});
