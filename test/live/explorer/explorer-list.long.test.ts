/** The list of chats and the command palette. */
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { dayOf, messageItem, openDemo, violations } from './explorer-window.js';

describe.skipIf(chromiumPath === undefined)(`in Chromium${noChromium}`, () => {
  const browser = shareBrowser();
  const demo = (path?: string) => openDemo(browser(), path);

  it('chats are filtered by title, metadata and day', async () => {
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
    await page.getByLabel('Title').fill('');
    const { data } = await ask('{ chat(id: "demo") { updatedAt } }');
    const updatedAt = Date.parse((data as { chat: { updatedAt: string } }).chat.updatedAt);
    await page.getByLabel('Until').fill(dayOf(updatedAt - 86_400_000));
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('No chat matches.').waitFor();
    await page.getByLabel('Since').fill(dayOf(updatedAt));
    await page.getByLabel('Until').fill(dayOf(updatedAt));
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.locator('.chats li', { hasText: 'A weekend in Portugal' }).waitFor();
  });

  it('a user whose storage is almost full is warned before a message', async () => {
    const { page, ask, complaints } = await openDemo(browser(), '/chats/demo/thread', { storageQuotaBytes: 1e6 });
    await ask('mutation { setStorageQuota(input: { userId: "local", bytes: 1000 }) { __typename } }');
    await page.locator('textarea[name=text]').fill('Hello');
    await page.getByText(/^Your chats and files use \d+ KB of 1 KB\. Delete chats/).waitFor();
    expect(complaints).toEqual([]);
  });

  it('a deleted chat leaves the list, and is back after an undo or a restoration', async () => {
    const { page, ask, complaints } = await demo('/chats/demo/thread');
    const countOf = async () => (await ask('{ chats { totalCount } deletedChats { totalCount } }')).data;
    const inList = page.locator('.chats').getByRole('link', { name: /A weekend in Portugal/ });
    const remove = async () => {
      await page.getByRole('button', { name: 'More actions' }).press('Enter');
      await page.getByRole('menuitem', { name: 'Delete chat' }).press('Enter');
      await page.getByText('There are no chats yet.').waitFor();
      await expect.poll(() => new URL(page.url()).hash).toBe('#/');
    };
    await remove();
    await page.getByText('Deleted A weekend in Portugal').waitFor();
    expect(await countOf()).toEqual({ chats: { totalCount: 0 }, deletedChats: { totalCount: 1 } });
    await page.getByRole('button', { name: 'Undo' }).click();
    await inList.click();
    expect(await countOf()).toEqual({ chats: { totalCount: 1 }, deletedChats: { totalCount: 0 } });
    await remove();
    await page.getByRole('button', { name: 'Deleted chats' }).click();
    const trash = page.getByRole('dialog', { name: 'Deleted chats' });
    await trash.getByText('A weekend in Portugal').waitFor();
    await trash.getByRole('button', { name: 'Restore' }).click();
    await trash.getByText('There are no deleted chats.').waitFor();
    await trash.getByRole('button', { name: 'Close' }).click();
    await inList.waitFor();
    expect(complaints).toEqual([]);
  });

  it('a deletion that is final needs the title', async () => {
    const { page, ask } = await openDemo(browser(), '/chats/demo', { recoveryDays: 0 });
    const remove = async () => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete chat' }).click();
    };
    await remove();
    const dialog = page.getByRole('dialog', { name: 'Delete for good' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect((await ask('{ chats { totalCount } }')).data).toEqual({ chats: { totalCount: 1 } });
    await remove();
    await dialog.getByLabel('Type A weekend in Portugal to delete it').fill('A weekend in Portugal');
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByText('Deleted A weekend in Portugal').waitFor();
    expect((await ask('{ chats { totalCount } }')).data).toEqual({ chats: { totalCount: 0 } });
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
  });

  it('a deleted chat is deleted for good after its title was typed', async () => {
    const { page, ask } = await demo();
    await ask('mutation { deleteChat(input: { chatId: "demo" }) { __typename } }');
    await page.getByRole('button', { name: 'Deleted chats' }).click();
    const trash = page.getByRole('dialog', { name: 'Deleted chats' });
    await trash.getByRole('button', { name: 'Delete for good' }).click();
    await trash.getByLabel('Type A weekend in Portugal to delete it').fill('A weekend in Portugal');
    await page.keyboard.press('Enter');
    await trash.getByText('There are no deleted chats.').waitFor();
    expect((await ask('{ deletedChats { totalCount } }')).data).toEqual({ deletedChats: { totalCount: 0 } });
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
    const [found] = await page.getByRole('option').all();
    expect(await found!.locator('mark').allInnerTexts()).toEqual(['weekend', 'in']);
    await found!.getByText(/^16 messages · \d/).waitFor();
    await page.getByText('to open').waitFor();
    await page.keyboard.press('Enter');
    await messageItem(page, 'What do we eat there?').waitFor();
    await run('packing');
    await page.keyboard.press('Enter');
    await messageItem(page, 'In Porto, always.').waitFor();
    await run('Alfama');
    await page.getByRole('option', { name: /old tram to Alfama/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    const labels = () => page.getByRole('option').allInnerTexts();
    await run('a');
    await expect.poll(() => page.getByText('Messages', { exact: true }).count()).toBe(1);
    const groups = await page.locator('.palette-list .menu-label').allInnerTexts();
    expect(groups.indexOf('Actions')).toBeLessThan(groups.indexOf('Messages'));
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Backspace');
    // The actions of the header, its menu and the list, and those of the chat's owner.
    await expect
      .poll(labels)
      .toEqual(
        expect.arrayContaining([
          ...[
            'New chat',
            'Show Thread',
            'Copy link',
            'Share',
            'Export',
            'Fork chat',
            'Print',
            'Rename chat',
            'Delete chat',
          ],
          ...['Manage branches and checkpoints', 'Import files', 'Import a folder', 'Deleted chats', 'Home'],
          ...['Access tokens', 'Users and server', 'Open GraphiQL', 'Use dark colours', 'Show keyboard shortcuts'],
        ]),
      );
    await page.keyboard.type('manage br');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: '5 branches, 1 checkpoint' }).waitFor();
    await page.keyboard.press('Escape');
    await run('Show History');
    await page.keyboard.press('Enter');
    await page.locator('.act').first().waitFor();
    const { data } = await ask('{ chat(id: "demo") { activeBranch { name } } }');
    expect(data).toEqual({ chat: { activeBranch: { name: 'packing' } } });
    expect(complaints).toEqual([]);
  });
});
