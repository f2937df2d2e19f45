/** The explorer and GraphiQL sign in at an issuer of another site, in a browser that enforces the cookies' rules. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openExplorer, rootOf, violations } from '../../live/explorer/explorer-window.js';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { startBoth } from './issuer-server.js';

describe.skipIf(chromiumPath === undefined)(`a sign-in at the issuer in a browser${noChromium}`, () => {
  const browser = shareBrowser();

  /** The issuer is at 127.0.0.1, which is another site than localhost. */
  async function open(isAdmin: boolean) {
    const { issuer, server } = await startBoth({ user: { sub: 'ann', admin: isAdmin } }, { demo: true });
    const { page, complaints } = await openExplorer(browser());
    const signIn = async () => {
      await page.getByRole('button', { name: `Sign in with ${new URL(issuer.url).host}` }).click();
      await page.getByRole('link', { name: 'Sign in' }).click();
    };
    return { issuer, page, complaints, signIn, graphql: server.url.replace('127.0.0.1', 'localhost') };
  }

  const cookies = async (page: Page) =>
    (await page.context().cookies()).map(({ name, httpOnly, sameSite }) => [
      name.replace(/\d+/, ''),
      httpOnly,
      sameSite,
    ]);

  it('returns to the place in the explorer, and serves GraphiQL and reloads', async () => {
    const { page, complaints, signIn, graphql } = await open(true);
    await page.goto(new URL('/#/chats/demo', graphql).href);
    await page.getByRole('button', { name: /^Sign in with 127/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await signIn();
    await page.locator('.message-list').waitFor();
    expect(page.url()).toBe(new URL('/#/chats/demo', graphql).href);
    expect(await cookies(page)).toEqual([['parley-', true, 'Strict']]);
    await page.reload();
    await page.locator('.message-list').waitFor();
    await page.getByRole('button', { name: 'More actions' }).first().waitFor();
    await page.goto(graphql);
    await page.locator('.graphiql-query-editor').waitFor();
    // The first answers of a browser without a session are 401.
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
  });

  it('opens GraphiQL with its operation, from the first navigation on', async () => {
    const { page, signIn, graphql } = await open(true);
    await page.goto(`${graphql}?query=${encodeURIComponent('query FromLink { viewer { userId } }')}`);
    await signIn();
    await page.locator('.graphiql-query-editor .view-lines').first().getByText('query FromLink').waitFor();
    expect(await page.evaluate(() => localStorage.getItem('parley:user'))).toBe('"ann"');
    await page.goto(rootOf(graphql));
    await page.locator('.chats').waitFor();
  });

  it('replaces the session of a user without admin rights, to whom GraphiQL is closed', async () => {
    const { issuer, page, signIn, graphql } = await open(false);
    await page.goto(graphql);
    await signIn();
    await page.getByText('This page is for admins').waitFor();
    issuer.behaviour.user = { sub: 'root', admin: true };
    await signIn();
    await page.locator('.graphiql-query-editor').waitFor();
    expect(await cookies(page)).toEqual([['parley-', true, 'Strict']]);
  });

  it('that failed shows the reason, and a way back', async () => {
    const { issuer, page, signIn, graphql } = await open(true);
    issuer.behaviour.idToken = { nonce: 'another' };
    await page.goto(rootOf(graphql));
    await signIn();
    await page.getByRole('alert').getByText('is not accepted: OAUTH_JWT_CLAIM_COMPARISON_FAILED').waitFor();
    expect(await cookies(page)).toEqual([]);
    delete issuer.behaviour.idToken;
    await page.getByRole('link', { name: 'Back to Parley' }).click();
    await signIn();
    await page.locator('.chats').waitFor();
  });
});
