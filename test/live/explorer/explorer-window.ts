/** The explorer in a browser. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Locator, Page } from 'playwright-core';
import type { ServerOptions } from '../../../src/server.js';
import { openPage } from '../../support/chromium.js';
import { startListening } from '../../support/server/listening-server.js';

export const rootOf = (url: string): string => new URL('/', url).href;

/** A page, with its errors and the violations of its policy. */
export async function openExplorer(browser: Browser): Promise<{ page: Page; complaints: string[] }> {
  const page = await openPage(browser);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${message.text()} ${message.location().url}`);
  });
  return { page, complaints };
}

/** A server with the demo conversation, and a page of its explorer. */
export async function openDemo(
  browser: Browser,
  path = '',
  options: Pick<ServerOptions, 'recoveryDays' | 'storageQuotaBytes'> = {},
) {
  const server = await startListening({ demo: true, ...options });
  const window = await openExplorer(browser);
  const go = (to: string) => window.page.goto(new URL(`/#${to}`, server.url).href);
  await go(path);
  return { ...server, ...window, go };
}

/** The messages in the thread that contain a text. */
export const messageItem = (page: Page, text: string) => page.locator('.message-list li', { hasText: text });

/** Presses a button of a message, which is visible on hover and focus. */
export const pressIn = (message: Locator, name: string) =>
  message.getByRole('button', { name, exact: true }).press('Enter');

/** Chooses an item of the menu of a message. */
export async function chooseIn(message: Locator, name: string): Promise<void> {
  await pressIn(message, MORE);
  await message.page().getByRole('menuitem', { name, exact: true }).press('Enter');
}

/** Waits until a message is saved. */
export const isSaved = (message: Locator) => message.getByRole('button', { name: MORE }).waitFor();

const MORE = 'More for this message';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

/**
 * The violations of WCAG 2.2 AA. axe is evaluated, because the page's policy allows no other script. Base UI's focus guards
 * around menus and dialogs are excluded: they pass the focus on at once, which axe cannot see.
 */
export async function violations(page: Page, rule?: 'color-contrast'): Promise<string[]> {
  await page.evaluate(AXE);
  const runOnly = JSON.stringify(rule ?? ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']);
  const found: Violation[] = await page.evaluate(
    `axe.run({ exclude: '[data-base-ui-focus-guard]' }, { runOnly: ${runOnly} }).then((results) => results.violations)`,
  );
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`));
}

/** Chooses a branch to compare, with the keyboard. */
export async function chooseBranch(page: Page, side: 'Left' | 'Right', name: string): Promise<void> {
  await page.getByRole('combobox', { name: side }).press('Enter');
  const field = page.getByRole('combobox', { name: 'Name of the branch' });
  await field.fill(name);
  await page
    .locator('[role="option"][data-highlighted]')
    .and(page.getByTitle(name, { exact: true }))
    .waitFor();
  await field.press('Enter');
  await field.waitFor({ state: 'hidden' });
}

/** The day of a time as date fields contain it. */
export const dayOf = (time: number): string => new Date(time).toLocaleDateString('sv');

/** Whether the window shows a whole element. */
export const isInView = (element: Element): boolean => {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
};
