/** The explorer on a small screen: the sizes of controls, the width of each view, and the graph as a sheet. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startFileServer } from '../../features/files/file-server.js';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { chooseBranch, chooseIn, messageItem, openDemo, openExplorer, rootOf, violations } from './explorer-window.js';

const SCREEN = { width: 390, height: 800 };

/** The visible controls with a side below 44 pixels; links within sentences and labelled fields are excluded. */
const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [
      ...document.querySelectorAll<HTMLElement>(
        'a[href], button, summary, input, select, textarea, [role=menuitem], [role=option]',
      ),
    ]
      .filter(
        (it) => it.checkVisibility({ visibilityProperty: true }) && it.closest('[inert], .markdown, li p, td') === null,
      )
      .map((it) => ({ it, box: (it.closest('label') ?? it).getBoundingClientRect() }))
      .filter(
        ({ it, box }) =>
          box.width > 1 && getComputedStyle(it).clipPath === 'none' && it.closest('.branch-links') === null,
      )
      .filter(({ box }) => Math.round(box.width) < 44 || Math.round(box.height) < 44)
      .map(({ it, box }) => `${it.outerHTML.slice(0, 120)}: ${Math.round(box.width)} × ${Math.round(box.height)}`),
  );

/** The parts of the page that a finger can scroll to the side, except tables. */
const wide = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('html, main, nav, main *, nav *, [role=dialog], [role=dialog] *')]
      .filter(
        (it) =>
          !it.matches('.wide') &&
          it.scrollWidth > it.clientWidth &&
          !/hidden|clip|visible/.test(getComputedStyle(it).overflowX),
      )
      .map((it) => it.outerHTML.slice(0, 120)),
  );

async function check(page: Page, state: string): Promise<void> {
  expect.soft(await smallTargets(page), state).toEqual([]);
  expect.soft(await wide(page), `${state}: scrolls to the side`).toEqual([]);
}

describe.skipIf(chromiumPath === undefined)(`a small screen in Chromium${noChromium}`, () => {
  const browser = shareBrowser();

  async function open(path = '') {
    const opened = await openDemo(browser());
    await opened.page.setViewportSize(SCREEN);
    await opened.go(path);
    return opened;
  }

  it('every control is as large as a finger needs, and no view scrolls to the side', async () => {
    const { page, go, complaints } = await open();
    const chats = page.getByRole('navigation', { name: 'Chats' });
    await chats.getByRole('link', { name: /weekend/ }).waitFor();
    await check(page, 'list');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('button', { name: 'Apply' }).waitFor();
    await check(page, 'filter');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await check(page, 'menu of a chat');
    await page.getByRole('menuitem', { name: 'Select' }).click();
    await check(page, 'selection');
    await page.getByRole('button', { name: 'End the selection' }).click();
    await page.getByRole('searchbox').fill('Portugal');
    await page.getByText(/messages? found/).waitFor();
    await check(page, 'search');

    await go('/chats/demo/thread');
    await messageItem(page, 'What do we eat there?').waitFor();
    await check(page, 'thread');
    const question = messageItem(page, 'What do we eat there?');
    await question.getByText('What do we eat there?').click();
    await page.getByRole('menu').waitFor();
    await check(page, 'menu of a message');
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Cancel' }).waitFor();
    await check(page, 'edit');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await chooseIn(question, 'Details');
    await page.getByRole('dialog').waitFor();
    await check(page, 'details');
    await page.keyboard.press('Escape');

    await go('/chats/demo/graph');
    await page.getByRole('application').waitFor();
    await check(page, 'graph');

    await go('/chats/demo/compare');
    await chooseBranch(page, 'Right', 'main-v2');
    await page.locator('ins').first().waitFor();
    const [left, right] = await Promise.all(
      ['left', 'right'].map((at) => page.locator(`.rows .step[data-side="${at}"]`).first().boundingBox()),
    );
    expect(left?.width).toBeGreaterThan(300);
    expect(right!.y).toBeGreaterThanOrEqual(left!.y + left!.height);
    expect(await page.locator('.rows .step .side').allInnerTexts()).toEqual(expect.arrayContaining(['main', 'Lisbon']));
    await check(page, 'compare');
    await page.getByRole('combobox', { name: 'Right' }).press('Enter');
    await page.getByRole('option').first().waitFor();
    await check(page, 'choice of a branch');
    await page.keyboard.press('Escape');

    await go('/chats/demo/history');
    await page.locator('.act .miniature').first().waitFor();
    await check(page, 'history');
    await page.getByRole('button', { name: 'Full log' }).click();
    await page
      .getByRole('button', { name: /^State after event/ })
      .first()
      .click();
    await page
      .getByRole('region', { name: /^The chat after event/ })
      .getByText('What do we eat there?')
      .waitFor();
    await check(page, 'full log');

    await go('/tokens');
    await page.getByLabel('Name').fill('backup');
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByLabel('New token').waitFor();
    await page.getByRole('button', { name: 'Revoke backup' }).click();
    await check(page, 'tokens');
    await go('/chats/demo/thread');

    const more = page.getByRole('button', { name: 'More actions' });
    await more.click();
    await check(page, 'menu of the page');
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('menuitem', { name: 'Import' }).click();
    const file = { name: 'chats.json', mimeType: 'application/json', buffer: Buffer.from('{}') };
    await (await choosing).setFiles([file]);
    await page.getByRole('region', { name: 'Imports' }).waitFor();
    await check(page, 'import');
    await page.getByRole('button', { name: 'Hide' }).click();
    await more.click();
    await page.getByRole('menuitem', { name: 'Export' }).click();
    await page.getByLabel('Format').selectOption('markdown');
    await check(page, 'export');
    await page.keyboard.press('Escape');

    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    await check(page, 'palette');
    await page.keyboard.press('Escape');
    await more.click();
    await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click();
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await check(page, 'shortcuts');
    await page.keyboard.press('Escape');

    await go('/users');
    await page.getByRole('button', { name: 'Erase' }).waitFor();
    await check(page, 'users');
    // No cell breaks its words: each row is as high as its buttons.
    const heights = await page.locator('.users tr').evaluateAll((rows) => rows.map((row) => row.clientHeight));
    expect(Math.max(...heights)).toBeLessThan(60);
    await page.getByRole('button', { name: 'Erase' }).click();
    await page.getByText('Type the id to confirm').waitFor();
    await check(page, 'admin');
    expect(complaints).toEqual([]);
  });

  it('every control of the sign-in is as large as a finger needs', async () => {
    const { url } = await startFileServer();
    const { page } = await openExplorer(browser());
    await page.setViewportSize(SCREEN);
    await page.goto(rootOf(url));
    await page.getByLabel('Token').waitFor();
    await check(page, 'sign-in');
  });

  it('the graph is a sheet over the thread, which a selection and its button close', async () => {
    const { page, complaints } = await open('/chats/demo/thread');
    const sheet = page.getByRole('dialog', { name: 'Graph' });
    await messageItem(page, 'What do we eat there?').waitFor();
    await page.getByRole('link', { name: 'Graph' }).click();
    await sheet.getByRole('application').waitFor();
    const { y, height, width } = (await sheet.boundingBox())!;
    expect([Math.round(y + height), Math.round(width)]).toEqual([SCREEN.height, SCREEN.width]);
    expect(await violations(page)).toEqual([]);
    await sheet.getByRole('button', { name: 'Close' }).click();
    await sheet.waitFor({ state: 'detached' });
    expect(page.url()).toContain('/chats/demo/thread');
    await page.getByRole('link', { name: 'Graph' }).press('Enter');
    await sheet.getByRole('application').press('ArrowUp');
    await page.keyboard.press('Enter');
    await sheet.waitFor({ state: 'detached' });
    await page.locator('.message-list li[aria-current=location]').waitFor();
    expect(complaints).toEqual([]);
  });
});
