/**
 * Makes docs/graphiql.png anew: GraphiQL with the demo, as a fresh start shows it. Needs `npm run build` and a Chromium,
 * which CHROMIUM_PATH can name.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const picture = join(root, 'docs', 'graphiql.png');
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const executablePath = [process.env.CHROMIUM_PATH ?? [], places].flat().find((path) => existsSync(path));
if (executablePath === undefined) throw new Error('There is no Chromium here; CHROMIUM_PATH can name one');

const folder = mkdtempSync(join(tmpdir(), 'parley-screenshot-'));
const server = spawn(process.execPath, ['dist/main.js'], {
  cwd: root,
  env: { DATABASE_URL: `file:${join(folder, 'parley.db')}`, PORT: '0' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = once(server, 'close');
try {
  await takePicture(await readyAt());
  console.log(picture);
} finally {
  server.kill();
  await ended;
  rmSync(folder, { recursive: true, force: true });
}

async function readyAt() {
  let output = '';
  for await (const text of server.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    output += text;
    const url = /http:\/\/\S+\n/.exec(output)?.[0];
    if (url !== undefined) return url.trim();
  }
  throw new Error('The server ended before it was ready');
}

async function takePicture(url) {
  const browser = await chromium.launch({
    executablePath,
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
  try {
    const page = await browser.newPage({
      viewport: { width: 1400, height: 900 },
      colorScheme: 'light',
      reducedMotion: 'reduce',
    });
    await page.goto(url);
    await page.locator('.graphiql-query-editor').getByText('query NewestChat').waitFor();
    await page.locator('.graphiql-execute-button').click();
    await page.locator('.graphiql-response').getByText('"demo-answer"').first().waitFor();
    // Away from the button, whose tooltip would cover the query.
    await page.mouse.move(1100, 890);
    await page.locator('.graphiql-spinner').waitFor({ state: 'detached' });
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    const style = '.monaco-scrollable-element > .scrollbar { visibility: hidden !important; }';
    await page.screenshot({ path: picture, style, animations: 'disabled', caret: 'hide' });
  } finally {
    await browser.close();
  }
}
