/** Runs the installed Chromium. */
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { chromiumPath } from './chromium-path.js';
import { PATIENCE_MS } from './patience.js';

export { chromiumPath };

/** Appended to the titles of skipped tests. */
export const noChromium =
  chromiumPath === undefined ? ' (skipped: no Chromium on this machine; CHROMIUM_PATH can name one)' : '';

/** An empty page in a separate window with a new profile, until the end of the test. */
export async function openPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 }, colorScheme: 'light' });
  page.setDefaultTimeout(PATIENCE_MS);
  onTestFinished(() => page.close());
  return page;
}

/** Starts one browser for all tests of the calling block, because a start takes as long as a test. */
export function shareBrowser(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());
  return () => browser!;
}

function launch(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('Chromium is not installed');
  return chromium.launch({
    executablePath: chromiumPath,
    timeout: PATIENCE_MS,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
