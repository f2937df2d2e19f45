/** The page of access tokens in the explorer. */
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../../support/chromium.js';
import { openDemo, violations } from '../explorer-window.js';

describe.skipIf(chromiumPath === undefined)(`in Chromium${noChromium}`, () => {
  const browser = shareBrowser();

  it('creates a token, shows its secret once, and revokes it, by keyboard', async () => {
    const { page, url, complaints } = await openDemo(browser(), '/chats/demo/thread');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'More actions' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Access tokens' }).press('Enter');
    await page.getByRole('heading', { name: 'Access tokens' }).waitFor();
    await page.getByText('You have no access tokens.').waitFor();
    await page.getByLabel('Name').fill('backup');
    await page.getByRole('combobox', { name: 'Expires' }).selectOption('After 30 days');
    await page.getByRole('combobox', { name: 'Chats' }).selectOption('Only A weekend in Portugal');
    await page.getByLabel('Name').press('Enter');
    const field = page.getByLabel('New token', { exact: true });
    await field.waitFor();
    const secret = await field.inputValue();
    await page.getByRole('button', { name: 'Copy token' }).press('Enter');
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
    const row = page.getByRole('list', { name: 'Your tokens' }).getByRole('listitem');
    expect(await row.innerText()).toMatch(
      /^backup Read\s*only A weekend in Portugal\s+Created .* · never used · expires /,
    );
    expect(await violations(page)).toEqual([]);

    const send = (query: string) =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
        body: JSON.stringify({ query }),
      });
    expect(await (await send('{ chats { edges { node { id } } } viewer { isAdmin } }')).json()).toEqual({
      data: { chats: { edges: [{ node: { id: 'demo' } }] }, viewer: { isAdmin: false } },
    });
    expect(await (await send('mutation { deleteChat(input: { chatId: "demo" }) { __typename } }')).text()).toContain(
      'READ_ONLY_TOKEN',
    );

    await page.reload();
    await row.getByText(/last used/).waitFor();
    expect(await field.count()).toBe(0);
    await page.getByRole('button', { name: 'Revoke backup' }).press('Enter');
    await page.getByRole('button', { name: 'Keep' }).press('Enter');
    await page.getByRole('button', { name: 'Revoke backup' }).press('Enter');
    await page.getByRole('button', { name: 'Revoke now' }).press('Enter');
    await page.getByText('You have no access tokens.').waitFor();
    expect((await send('{ viewer { userId } }')).status).toBe(401);

    // All rights, for ever: such a token is for all chats.
    await page.getByLabel('Name').fill('agent');
    await page.getByRole('combobox', { name: 'Expires' }).selectOption('Never');
    await page.getByLabel(/^Read, write and manage/).check();
    expect(await page.getByRole('combobox', { name: 'Chats' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Create token' }).click();
    await row.getByText('never expires').waitFor();
    expect(complaints).toEqual([]);
  });
});
