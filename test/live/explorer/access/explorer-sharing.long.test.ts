/** Sharing and forking a chat in the explorer, by the visible names of its controls. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { people, start, tell, type Headers } from '../../../graphs/story.js';
import { chromiumPath, noChromium, shareBrowser } from '../../../support/chromium.js';
import { chooseIn, messageItem, openExplorer, rootOf, violations } from '../explorer-window.js';

describe.skipIf(chromiumPath === undefined)(`sharing a chat in Chromium${noChromium}`, () => {
  const browser = shareBrowser();

  /** A chat of ann with three messages, and a page on which a user has signed in. */
  async function openTrip() {
    const server = await start();
    const everybody = await people();
    await tell(server, everybody);
    const signIn = async ({ authorization }: Headers, path = '') => {
      const { page } = await openExplorer(browser());
      await page.goto(`${rootOf(server.url)}#${path}`);
      await page.getByLabel('Token').fill(authorization.replace('Bearer ', ''));
      await page.getByRole('button', { name: 'Sign in' }).click();
      return page;
    };
    return { ...server, ...everybody, signIn };
  }

  const choose = async (page: Page, action: string) => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };

  it('a link to a message is created, read without sign-in and revoked', async () => {
    const { ann, signIn } = await openTrip();
    const page = await signIn(ann, '/chats/trip');
    await chooseIn(messageItem(page, 'Porto, for its river.'), 'Share up to here');
    const dialog = page.getByRole('dialog', { name: 'Share' });
    await dialog.getByLabel('Title that readers see').fill('Our trip');
    await dialog.getByLabel('Expires').selectOption('After a week');
    await dialog.getByRole('button', { name: 'Create link' }).click();
    const link = await dialog.getByLabel('New link').inputValue();
    await dialog.getByRole('listitem').filter({ hasText: 'Our trip' }).getByText('expires').waitFor();
    expect(await violations(page)).toEqual([]);

    const { page: reader } = await openExplorer(browser());
    await reader.goto(link);
    await reader.getByRole('heading', { name: 'Our trip' }).waitFor();
    await reader.locator('.messages').getByText('Porto, for its river.').waitFor();
    expect(await reader.getByText('Both: Porto first.').count()).toBe(0);

    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await expect.poll(() => dialog.getByText('Our trip').count()).toBe(0);
    await reader.reload();
    await reader.getByText('This link is invalid, expired or revoked.').waitFor();
  });

  it('a member is added, gets another role, finds the chat and leaves it', async () => {
    const { ann, dora, ask, signIn } = await openTrip();
    const page = await signIn(ann, '/chats/trip');
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Share' });
    await dialog.getByLabel('Id of the user').fill('ann');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Id of the user').fill('dora');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByLabel('Role of dora').selectOption('Commenter');
    const role = () => ask<{ viewerRole: string } | null>(dora, '{ chat(id: "trip") { viewerRole } }');
    await expect.poll(role).toEqual({ viewerRole: 'COMMENTER' });

    const other = await signIn(dora);
    const link = other
      .getByRole('navigation', { name: 'Chats' })
      .getByRole('link', { name: /Lisbon or Porto|Both: Porto/ });
    await link.waitFor();
    await other.getByRole('button', { name: 'Filter' }).click();
    await other.getByLabel('Only my own chats').check();
    await other.getByRole('button', { name: 'Apply' }).click();
    await other.getByText('No chat matches.').waitFor();
    await other.getByRole('button', { name: 'All' }).click();
    await link.click();
    await messageItem(other, 'Both: Porto first.').waitFor();
    expect(await other.getByRole('button', { name: 'Share', exact: true }).count()).toBe(0);
    await choose(other, 'Share');
    const own = other.getByRole('dialog', { name: 'Share' });
    await own.getByRole('button', { name: 'Leave chat' }).waitFor();
    expect(await own.getByRole('button', { name: 'Create link' }).count()).toBe(0);
    await own.getByRole('button', { name: 'Leave chat' }).click();
    await expect.poll(role).toBeNull();
  });

  it('a reader finds the chat in the list, and is offered only what its role allows', async () => {
    const { ann, dora, ask, signIn } = await openTrip();
    const invite = (role: string) =>
      ask(ann, `mutation { addMember(input: { chatId: "trip", userId: "dora", role: ${role} }) { __typename } }`);
    await invite('READER');
    const page = await signIn(dora);
    await page
      .getByRole('navigation', { name: 'Chats' })
      .getByRole('link', { name: /Lisbon or Porto|Both: Porto/ })
      .click();
    const message = messageItem(page, 'Both: Porto first.');
    await message.waitFor();
    await page.getByText('You can read this chat. Its owner can let you write.').waitFor();
    const field = page.getByRole('textbox', { name: 'Write a message' });
    const offered = async () => {
      const names = ['Edit', 'Regenerate', 'Branch here'];
      const counts = names.map((name) => message.getByRole('button', { name, exact: true }).count());
      return [await field.count(), ...(await Promise.all(counts))];
    };
    expect(await offered()).toEqual([0, 0, 0, 0]);
    expect(await violations(page)).toEqual([]);
    const chatActions = async () => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Print' }).waitFor();
      const items = ['Rename chat', 'Delete chat'].map((name) => page.getByRole('menuitem', { name }).count());
      const counts = await Promise.all(items);
      await page.keyboard.press('Escape');
      return counts;
    };
    expect(await chatActions()).toEqual([0, 0]);
    await page
      .getByRole('navigation', { name: 'Chats' })
      .getByRole('button', { name: /^Actions for/ })
      .click();
    expect(await page.getByRole('menuitem', { name: 'Delete' }).count()).toBe(0);
    await page.getByRole('menuitem', { name: 'Select' }).click();
    expect(await page.getByRole('button', { name: 'Delete the selected chats' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'End the selection' }).click();
    await page.locator('.branch-chip').click();
    await page.getByRole('menuitem', { name: 'Manage branches and checkpoints' }).click();
    const dialog = page.getByRole('dialog', { name: '2 branches' });
    const show = dialog.getByRole('button', { name: 'Show' });
    await show.waitFor();
    const changes = ['Switch', 'Rename', 'Delete', 'Restore'].map((name) =>
      dialog.getByRole('button', { name }).count(),
    );
    expect(await Promise.all(changes)).toEqual([0, 0, 0, 0]);
    await show.click();
    await page.keyboard.press('Escape');
    await messageItem(page, 'Lisbon, for its trams.').waitFor();
    const chooseBranch = async (name: string) => {
      await page.locator('.branch-chip').click();
      await page.getByRole('menuitem', { name }).click();
    };
    await chooseBranch('main');
    await message.waitFor();
    await chooseBranch('side');
    const other = messageItem(page, 'Lisbon, for its trams.');
    await other.getByRole('button', { name: /version/i, disabled: false }).click();
    await messageItem(page, 'Porto, for its river.').waitFor();
    await page.keyboard.press('Control+K');
    await page.getByLabel('Search chats, messages, branches and actions').fill('side');
    await page.getByRole('option', { name: 'side' }).click();
    await other.waitFor();
    await chooseBranch('main');
    await message.waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await invite('WRITER');
    await field.waitFor();
    expect(await offered()).toEqual([1, 1, 1, 1]);
    expect(await chatActions()).toEqual([1, 0]);
  });

  it('a path and a whole chat are forked', async () => {
    const { ann, ask, signIn } = await openTrip();
    const page = await signIn(ann, '/chats/trip');
    await chooseIn(messageItem(page, 'Porto, for its river.'), 'Fork from here');
    await page.waitForURL((url) => !url.hash.includes('trip'));
    await messageItem(page, 'Porto, for its river.').waitFor();
    expect(await messageItem(page, 'Both: Porto first.').count()).toBe(0);
    await page.goto(new URL('#/chats/trip', page.url()).href);
    await messageItem(page, 'Both: Porto first.').waitFor();
    await choose(page, 'Fork chat');
    await page.waitForURL((url) => !url.hash.includes('trip'));
    await messageItem(page, 'Both: Porto first.').waitFor();
    const id = decodeURIComponent(/chats\/([^/]+)/.exec(page.url())![1]!);
    const fork = await ask(ann, 'query ($id: ID!) { chat(id: $id) { messageCount forkedFrom { chatId } } }', { id });
    expect(fork).toEqual({ messageCount: 4, forkedFrom: { chatId: 'trip' } });
  });
});
