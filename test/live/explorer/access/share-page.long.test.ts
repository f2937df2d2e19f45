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
