/** The browser of this machine, if it has one. */
import { existsSync } from 'node:fs';
import { chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Undefined where there is none; `CHROMIUM_PATH` names one that is elsewhere. */
export const chromiumPath = [process.env['CHROMIUM_PATH'] ?? [], PLACES].flat().find((path) => existsSync(path));

/** Said in the name of a test that is left out. */
export const noChromium =
  chromiumPath === undefined ? ' (skipped: no Chromium on this machine; CHROMIUM_PATH can name one)' : '';

/** An empty page in a browser of its own, with a profile that nobody has used. */
export async function openPage(): Promise<Page> {
  if (chromiumPath === undefined) throw new Error('There is no Chromium');
  const browser = await chromium.launch({
    executablePath: chromiumPath,
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
  onTestFinished(() => browser.close());
  return browser.newPage({ viewport: { width: 1400, height: 900 }, colorScheme: 'light' });
}
