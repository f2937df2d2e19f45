/** Five tasks in the explorer, by the visible names of links, buttons and fields. */
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { openDemo } from './explorer-window.js';

describe.skipIf(chromiumPath === undefined)(`by visible names${noChromium}`, () => {
  const browser = shareBrowser();

  async function openChat() {
    const window = await openDemo(browser());
    await window.page
      .getByRole('navigation', { name: 'Chats' })
      .getByRole('link', { name: /weekend/ })
      .click();
    await window.page.getByText('What do we eat there?').waitFor();
    return window;
  }

  it('another version of a message is read', async () => {
    const { page } = await openChat();
    await page.getByRole('button', { name: 'Next version' }).click();
    await page.getByText('In Lisbon: take the old tram').waitFor();
    await page.getByRole('group', { name: 'Version 2 of 2' }).first().waitFor();
  });

  it('the message is found where a branch left another one', async () => {
    const { page } = await openChat();
    await page.getByRole('link', { name: 'Compare' }).click();
    await page.getByLabel('Right').selectOption('main-v2');
    const common = page.getByRole('region', { name: 'Common until' });
    await common.getByText('Where should we spend a weekend in Portugal?').waitFor();
  });

  it('the chats of a given day are found', async () => {
    const { page, ask } = await openDemo(browser());
    const { data } = await ask('{ chat(id: "demo") { updatedAt } }');
    const { updatedAt } = (data as { chat: { updatedAt: string } }).chat;
    const dayOf = (time: number) => new Date(time).toLocaleDateString('sv');
    const chats = page.getByRole('navigation', { name: 'Chats' });
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByLabel('Until').fill(dayOf(Date.parse(updatedAt) - 86_400_000));
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('No chat matches.').waitFor();
    await page.getByLabel('Since').fill(dayOf(Date.parse(updatedAt)));
    await page.getByLabel('Until').fill(dayOf(Date.parse(updatedAt)));
    await page.getByRole('button', { name: 'Apply' }).click();
    await chats.getByRole('link', { name: /weekend/ }).click();
    await page.getByText('What do we eat there?').waitFor();
  });

  it('the messages of a given day are found in the history', async () => {
    const { page, ask } = await openChat();
    const { data } = await ask('{ chat(id: "demo") { updatedAt } }');
    const { updatedAt } = (data as { chat: { updatedAt: string } }).chat;
    const dayOf = (time: number) => new Date(time).toLocaleDateString('sv');
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByLabel('Day', { exact: true }).fill(dayOf(Date.parse(updatedAt) - 86_400_000));
    await page.getByText('No events of this kind on this day.').waitFor();
    await page.getByLabel('Day', { exact: true }).fill(dayOf(Date.parse(updatedAt)));
    await page
      .getByRole('button', { name: /^State after event/ })
      .first()
      .click();
    const state = page.getByRole('region', { name: /^The chat after event/ });
    await state.getByText('What do we eat there?').waitFor();
  });

  it('one chat is exported', async () => {
    const { page } = await openChat();
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByLabel('Format').selectOption('markdown');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toMatch(/\.md$/);
  });

  it('a deletion is undone', async () => {
    const { page } = await openChat();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete chat' }).click();
    await page.getByText('There are no chats yet.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page
      .getByRole('navigation', { name: 'Chats' })
      .getByRole('link', { name: /weekend/ })
      .waitFor();
  });
});
