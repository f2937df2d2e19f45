/** The explorer in a browser's window. */
import type { Browser, Page } from 'playwright-core';
import { openPage } from '../../support/chromium.js';

export const rootOf = (url: string): string => new URL('/', url).href;

/** A page, and what it complained of: errors, and whatever its policy does not allow. */
export async function openExplorer(browser: Browser): Promise<{ page: Page; complaints: string[] }> {
  const page = await openPage(browser);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  return { page, complaints };
}
