/** Runs a built server on its own database, and Chromium, for screenshots. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { root } from '../parts.mjs';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * Runs both during a callback. Needs `npm run build` and a Chromium, which CHROMIUM_PATH can name.
 * @param {(browser: import('playwright-core').Browser, url: string) => Promise<void>} look
 * @param {NodeJS.ProcessEnv} settings of the server
 */
export async function withServer(look, settings = {}) {
  const executablePath = [process.env.CHROMIUM_PATH ?? [], places].flat().find((path) => existsSync(path));
  if (executablePath === undefined) throw new Error('There is no Chromium here; CHROMIUM_PATH can name one');
  const folder = mkdtempSync(join(tmpdir(), 'parley-screenshot-'));
  const server = spawn(process.execPath, ['dist/main.js'], {
    cwd: root,
    env: { DATABASE_URL: `file:${join(folder, 'parley.db')}`, PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(server, 'close');
  try {
    const url = await readyAt(server);
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
      await look(browser, url);
    } finally {
      await browser.close();
    }
  } finally {
    server.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function readyAt(server) {
  let output = '';
  for await (const text of server.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    output += text;
    const url = /http:\/\/\S+\n/.exec(output)?.[0];
    if (url !== undefined) return url.trim();
  }
  throw new Error('The server ended before it was ready');
}
