/** GraphiQL on a server that requires tokens: only admins may use it, and browsers send no token by themselves. */
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, openPage, shareBrowser } from '../../support/chromium.js';
import { startListening } from '../../support/server/listening-server.js';
import { AUTH, bearer } from '../../support/server/tokens.js';

describe('GET /graphql', () => {
  const get = (url: string, headers: Record<string, string> = {}) =>
    fetch(url, { headers: { accept: 'text/html', ...headers } });

  it('requests a token from browsers, and reveals nothing before', async () => {
    const { url } = await startListening({ auth: AUTH });
    const response = await get(url);
    expect([response.status, response.headers.get('cache-control')]).toEqual([401, 'no-store']);
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    const page = await response.text();
    expect(page).toContain('<title>Parley</title>');
    expect(page).not.toMatch(/graphiql|playground/i);
  });

  it('is GraphiQL for admins only', async () => {
    const { url } = await startListening({ auth: AUTH });
    const user = await get(url, await bearer('alice'));
    expect(user.status).toBe(403);
    expect(await user.json()).toEqual({
      errors: [{ message: 'This page is for admins', extensions: { code: 'FORBIDDEN' } }],
    });
    expect((await get(url, { authorization: 'Bearer x' })).status).toBe(401);
    const admin = await get(url, await bearer('ann', true));
    expect([admin.status, admin.headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
    expect((await admin.text()).includes('query NewestChat')).toBe(true);
  });
});

describe.skipIf(chromiumPath === undefined)(`an admin with a browser${noChromium}`, () => {
  const browser = shareBrowser();

  it('accepts a token, and runs queries and subscriptions as the admin', async () => {
    const { url } = await startListening({ auth: AUTH, demo: true });
    const page = await openPage(browser());
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(url);

    const signInWith = async (token: string) => {
      await page.getByLabel("An admin's token").fill(token);
      await page.keyboard.press('Enter');
    };
    await signInWith('Bearer <script>');
    await page.getByText('This is not a token.').waitFor();
    await signInWith((await bearer('alice')).authorization);
    await page.getByText('This page is for admins').waitFor();
    await signInWith((await bearer('ann', true)).authorization);

    const result = page.locator('.graphiql-response .view-lines').first();
    await page.locator('.graphiql-query-editor .view-lines').first().getByText('query NewestChat').waitFor();
    await page.locator('.graphiql-execute-button').click();
    await result.getByText('"A weekend in Portugal"').waitFor();
    await page.locator('.graphiql-tab-button').filter({ hasText: 'Follow' }).press('Enter');
    await page.locator('.graphiql-query-editor .view-lines').first().getByText('subscription Follow').waitFor();
    await page.waitForFunction(() => {
      const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState') ?? '{"tabs":[]}') as {
        tabs: { operationName: string }[];
        activeTabIndex: number;
      };
      return tabs[activeTabIndex]?.operationName === 'Follow';
    });
    await page.locator('.graphiql-execute-button').click();
    await result.getByText('"demo-food-answer"').first().waitFor();
    expect(complaints).toEqual([]);
    // The session is in a cookie that no script can read.
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain('eyJ');
    expect(await page.evaluate(() => document.cookie)).toBe('');
    await page.reload();
    await page.locator('.graphiql-query-editor').waitFor();
  });
});
