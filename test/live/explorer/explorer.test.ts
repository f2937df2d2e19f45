/** The explorer in a browser, from a newly started server. */
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { startListening } from '../../support/server/listening-server.js';
import { AUTH } from '../../support/server/tokens.js';
import { openExplorer, rootOf } from './explorer-window.js';

describe('GET /', () => {
  it('is a page with its own scripts, whose assets may be cached for ever', async () => {
    const { url } = await startListening({ auth: AUTH });
    const page = await fetch(rootOf(url));
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("font-src 'self'");
    expect(policy).not.toContain('unsafe');
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    const html = await page.text();
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style|https?:/);
    const parts = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => new URL(path!, url));
    expect(parts.length).toBeGreaterThan(1);
    const font = await fetch(parts.find(({ pathname }) => pathname.endsWith('.woff2'))!);
    expect([font.status, font.headers.get('content-type')]).toEqual([200, 'font/woff2']);
    for (const part of parts) {
      const { status, headers } = await fetch(part);
      expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
      const again = await fetch(part, { headers: { 'if-none-match': headers.get('etag')! } });
      expect(again.status).toBe(304);
    }
    expect((await fetch(new URL('/assets/../package.json', url))).status).toBe(404);
    expect((await fetch(new URL('/assets/nothing.js', url))).status).toBe(404);
    expect((await fetch(rootOf(url), { method: 'POST' })).status).toBe(404);
  });
});

describe.skipIf(chromiumPath === undefined)(`with a browser${noChromium}`, () => {
  const browser = shareBrowser();

  const open = () => openExplorer(browser());

  it('the demo can be read, a version switched, a message sent, and found in the graph', async () => {
    const { url } = await startListening({ demo: true });
    const { page, complaints } = await open();
    await page.goto(rootOf(url));
    await page.locator('.chats li a', { hasText: /A weekend in Portugal.*5 branches/ }).click();
    await page.locator('.message-list li').first().waitFor();
    const versions = page.locator('.versions').first();
    const before = await versions.textContent();
    await versions.getByRole('button', { disabled: false }).first().click();
    await expect.poll(() => versions.textContent()).not.toBe(before);

    await page.getByLabel('Write a message').fill('Is it <b>far</b>? <img src=x onerror=alert(1)>');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.locator('.message-list li', { hasText: 'Is it <b>far</b>?' }).waitFor();

    await page.getByRole('link', { name: 'Graph', exact: true }).click();
    const canvas = page.getByRole('application');
    await canvas.waitFor();
    await canvas.focus();
    const output = page.locator('.graph output');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => output.textContent()).toContain('system: ');
    // Down to the end of the main line: where we have just been.
    for (let n = 0; n < 20; n++) await page.keyboard.press('ArrowDown');
    await expect.poll(() => output.textContent()).toContain('Is it <b>far</b>?');
    await page.keyboard.press('Enter');
    await page.locator('li[aria-current]', { hasText: 'Is it <b>far</b>?' }).waitFor();
    expect(complaints).toEqual([]);
  });
});
