/** The sign-in at an issuer that fails. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { browserOf } from './issuer-browser.js';
import { startBoth } from './issuer-server.js';
import { CLIENT_SECRET, type Behaviour } from './issuer.js';

describe('an issuer', () => {
  const DISCOVERY = '/.well-known/openid-configuration';
  const answering = (path: string, answer: (response: ServerResponse) => void): Behaviour => ({
    answer: (asked, response) => {
      if (asked === path) answer(response);
      return asked === path;
    },
  });

  it('that is down is named in the answer to the page, and the next sign-in works', async () => {
    const { issuer, browser } = await startBoth(answering(DISCOVERY, (response) => void response.destroy()));
    const { answer } = await browser.begin();
    expect([answer.status, answer.body]).toEqual([503, expect.stringContaining('does not answer: try again later')]);
    expect(browser.cookies.size).toBe(0);
    delete issuer.behaviour.answer;
    await browser.signIn();
    expect(await browser.user()).toBe('ann');
  });

  it('that goes down before the code is exchanged leaves no session', async () => {
    const { issuer, browser } = await startBoth();
    const callback = await browser.authorize((await browser.begin()).address);
    await issuer.stop();
    const { status, body } = await browser.open(callback);
    expect([status, body]).toEqual([503, expect.stringContaining('does not answer: try again later')]);
    expect([...browser.cookies]).toEqual([]);
  });

  it.each([DISCOVERY, '/token'])('that sends more than 256 KiB at %s is refused', async (path) => {
    const { browser } = await startBoth(
      answering(path, (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"x":"');
        const more = () => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
        };
        response.on('drain', more);
        more();
      }),
    );
    const { answer, address } = await browser.begin();
    const { status, body } = answer.status === 200 ? await browser.open(await browser.authorize(address)) : answer;
    expect([status, body]).toEqual([502, expect.stringContaining('ANSWER_TOO_LONG')]);
  });

  it('that never ends its answer is given up', async () => {
    const timeouts: AbortController[] = [];
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      timeouts.push(new AbortController());
      return timeouts.at(-1)!.signal;
    });
    onTestFinished(() => timeout.mockRestore());
    const { issuer, browser } = await startBoth();
    const callback = await browser.authorize((await browser.begin()).address);
    const asked = new Promise<void>((resolve) => {
      Object.assign(
        issuer.behaviour,
        answering('/token', (response) => {
          response.writeHead(200, { 'content-type': 'application/json' }).write('{');
          resolve();
        }),
      );
    });
    const opened = browser.open(callback);
    await asked;
    expect(timeout).toHaveBeenLastCalledWith(10_000);
    timeouts.at(-1)!.abort(new DOMException('late', 'TimeoutError'));
    const { status, body } = await opened;
    expect([status, body]).toEqual([503, expect.stringContaining('does not answer: try again later')]);
  });

  it('gets one request for its endpoints, however many users sign in', async () => {
    const { issuer, server, browser } = await startBoth();
    await Promise.all(Array.from({ length: 5 }, () => browserOf(server).begin()));
    await browser.signIn();
    expect(issuer.requests.filter((path) => path === DISCOVERY)).toHaveLength(1);
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 600_000);
    onTestFinished(() => clock.mockRestore());
    await browser.begin();
    expect(issuer.requests.filter((path) => path === DISCOVERY)).toHaveLength(2);
  });

  it('whose metadata name another issuer is refused', async () => {
    const { browser } = await startBoth({ metadata: { issuer: 'https://attacker.example' } });
    const { answer } = await browser.begin();
    expect([answer.status, answer.body]).toEqual([
      502,
      expect.stringContaining('OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'),
    ]);
  });

  it('that redirects the exchange does not get the secret sent elsewhere', async () => {
    const received: string[] = [];
    const attacker = createServer(({ url = '' }, response) => {
      received.push(url);
      response.end();
    });
    await new Promise<void>((resolve) => attacker.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise<void>((resolve) => void attacker.close(() => resolve())));
    const location = `http://127.0.0.1:${(attacker.address() as AddressInfo).port}/`;
    const { browser } = await startBoth(
      answering('/token', (response) => void response.writeHead(307, { location }).end(CLIENT_SECRET)),
    );
    const { status, body } = await browser.signIn();
    expect([status, body]).toEqual([502, expect.stringContaining('OAUTH_RESPONSE_IS_NOT_CONFORM')]);
    expect(body).not.toContain(CLIENT_SECRET);
    expect(received).toEqual([]);
  });
});
