/** A chat application for two people: Parley and the application are processes that a test can kill. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RemoteStore } from '@parley/context';
import type { Browser } from 'playwright-core';
import { rolldown } from 'rolldown';
import { expect, onTestFinished } from 'vitest';
import { emptyDatabaseUrl } from '../../../../test/support/database/temporary-database.js';
import { PATIENCE_MS } from '../../../../test/support/patience.js';
import { freePort } from '../../../../test/support/server/free-port.js';
import { httpClient } from '../../../../test/support/server/http-client.js';
import { bearer, SECRET } from '../../../../test/support/server/tokens.js';
import { temporaryFolder } from '../../../../test/support/temporary-folder.js';
import { RestartableServer } from '../../../../test/live/faults/restartable-server.js';

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** The script of the page. */
export async function bundlePage(): Promise<string> {
  const bundle = await rolldown({
    input: fileOf('page.ts'),
    platform: 'browser',
    resolve: { conditionNames: ['@parley/source', 'import'], extensionAlias: { '.js': ['.ts', '.js'] } },
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  return output[0].code;
}

/** The process of the application, always at the same address. */
class Application {
  /** The messages of each call of the model, of all processes. */
  readonly asked: string[][] = [];
  #child!: ChildProcess;

  private constructor(private readonly env: { PAGE: string; PARLEY_URL: string; PORT: string }) {
    onTestFinished(() => this.kill());
  }

  static async start(page: string, url: string, port: number): Promise<Application> {
    const file = join(temporaryFolder(), 'page.js');
    writeFileSync(file, page);
    const application = new Application({ PAGE: file, PARLEY_URL: url, PORT: String(port) });
    await application.startAgain();
    return application;
  }

  async startAgain(): Promise<void> {
    const child = (this.#child = fork(fileOf('chat-app.mjs'), { env: this.env, execArgv: [] }));
    const ready = once(child, 'message');
    child.on('message', ({ asked }: { asked?: string[] }) => asked !== undefined && this.asked.push(asked));
    const failed = once(child, 'exit').then(([code]) => {
      throw new Error(`The application ended with ${code} at its start.`);
    });
    await Promise.race([ready, failed]);
  }

  async kill(): Promise<void> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  async isAsked(...messages: string[]): Promise<void> {
    await expect.poll(() => this.asked.at(-1)).toEqual(messages);
  }

  begin(text: string): void {
    this.#child.send({ chunks: [{ type: 'start' }, { type: 'text-start', id: '0' }] });
    this.words(text);
  }

  words(delta: string): void {
    this.#child.send({ chunks: [{ type: 'text-delta', id: '0', delta }] });
  }

  end(): void {
    this.#child.send({ chunks: [{ type: 'text-end', id: '0' }, { type: 'finish' }] });
  }

  fail(failure: string): void {
    this.#child.send({ failure });
  }

  answer(text: string): void {
    this.begin(text);
    this.end();
  }
}

const NAMES: Record<string, string> = { q: 'user', a: 'assistant', b: 'assistant' };

/** Starts the processes, and a chat of Ann and Ben with one thread of these messages; each id is the message's text. */
export async function openApp(browser: Browser, page: string, ...texts: string[]) {
  const port = await freePort();
  const databaseUrl = emptyDatabaseUrl();
  const server = await RestartableServer.start({
    DATABASE_URL: databaseUrl,
    AUTH_JWT_SECRET: SECRET,
    ALLOWED_ORIGINS: `http://127.0.0.1:${port}`,
  });
  const application = await Application.start(page, server.url, port);
  const ann = await bearer('ann');
  const store = new RemoteStore({ url: server.url, headers: ann });
  await store.createChat({ id: 'c', userId: 'ann' });
  const member = 'mutation { addMember(input: { chatId: "c", userId: "ben", role: WRITER }) { __typename } }';
  expect(await httpClient(server.url).post(member, {}, ann)).toMatchObject({ data: { addMember: {} } });
  const messages = texts.map((text) => ({ id: text, name: NAMES[text[0]!]!, content: { text } }));
  await store.saveMessages('c', messages);
  return {
    server,
    application,
    databaseUrl,
    store,
    /** A page of a person, in a browser of their own. */
    async open(user: 'ann' | 'ben') {
      const context = await browser.newContext();
      onTestFinished(() => context.close());
      context.setDefaultTimeout(PATIENCE_MS);
      const tab = await context.newPage();
      const complaints: string[] = [];
      tab.on('pageerror', (error) => complaints.push(String(error)));
      onTestFinished(() => expect(complaints).toEqual([]));
      const token = (await bearer(user)).authorization.slice('Bearer '.length);
      const address = new URLSearchParams({ server: server.url, user, token });
      await tab.goto(`http://127.0.0.1:${port}/?${address.toString()}`);
      const press = (name: string) => tab.getByRole('button', { name, exact: true }).last().click();
      const main = (state: Record<string, string>) =>
        tab.locator(
          `main${Object.entries(state)
            .map(([name, value]) => `[data-${name}="${value}"]`)
            .join('')}`,
        );
      return {
        tab,
        context,
        press,
        main,
        /** Waits until the page shows this thread. */
        shows: (thread: string, status = 'ready') =>
          main({ status })
            .locator(`h1:text-is(${JSON.stringify(thread)})`)
            .waitFor(),
        isLive: () => main({ store: 'live' }).waitFor(),
        async send(text: string) {
          await tab.getByLabel('Message').fill(text);
          await press('Send');
        },
        /** The last message, with its status and versions. */
        last: (text: string) => tab.locator('ol > li').last().filter({ hasText: text }).waitFor(),
        conflict: (text: string) => tab.locator('section p', { hasText: text }).waitFor(),
        alert: (text: string) => tab.getByRole('alert').filter({ hasText: text }).waitFor(),
        /** The errors of `onError`. */
        errors: () => tab.locator('ul > li').allInnerTexts(),
        /** The number of messages in the outbox. */
        kept: () =>
          tab.evaluate(
            async (name) =>
              new Promise<number>((resolve, reject) => {
                const opening = indexedDB.open(name);
                opening.onerror = reject;
                opening.onsuccess = () => {
                  const counting = opening.result.transaction('messages').objectStore('messages').count();
                  counting.onsuccess = () => resolve(counting.result);
                };
              }),
            `parley-outbox ${JSON.stringify([server.url, user])}`,
          ),
      };
    },
  };
}
