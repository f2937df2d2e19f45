import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.js';
import { checkWebhooks, parseWebhooks } from '../../../src/features/webhooks/webhook.js';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const webhook = { name: 'hook', url: 'https://hooks.example/parley', secrets: [SECRET] };

describe('the setting WEBHOOKS', () => {
  it('has defaults', () => {
    expect(parseWebhooks(JSON.stringify([webhook]))).toMatchObject([
      { allowPrivateAddresses: false, allowRedirects: false, timeoutMs: 15_000, maxAttempts: 12, firstPauseMs: 5_000 },
    ]);
    expect(checkWebhooks([])).toEqual([]);
  });

  it.each([
    ['must be JSON', '[{ "secrets": ["whsec_very secret'],
    ['must be a list of webhooks', { webhook }],
    ['must be at most 20 webhooks', Array.from({ length: 21 }, (_, n) => ({ ...webhook, name: `hook-${n}` }))],
    ['must have unique names', [webhook, webhook]],
    ['[0] must be an object with the settings of a webhook', ['very secret']],
    ['[0] has a setting that does not exist', [{ ...webhook, 'very secret': 1 }]],
    ['[1].name must be 1 to 64 letters, digits, - or _', [webhook, { ...webhook, name: 'very secret' }]],
    [
      '[0].url must be https:// and a host, without user and password',
      [{ ...webhook, url: 'https://a:very secret@b/' }],
    ],
    ['[0].url must be https://; http:// requires allowPrivateAddresses', [{ ...webhook, url: 'http://very.secret/' }]],
    ['[0].secrets must be a list of one or two secrets', [{ ...webhook, secrets: [] }]],
    ['[0].secrets must be a list of one or two secrets', [{ ...webhook, secrets: [SECRET, SECRET, SECRET] }]],
    ['[0].secrets[0] must be whsec_ and 24 to 64 bytes in base64', [{ ...webhook, secrets: ['very secret'] }]],
    ['[0].secrets[1] must be whsec_ and 24 to 64 bytes in base64', [{ ...webhook, secrets: [SECRET, 'whsec_AAAA'] }]],
    ['[0].events[0] must be one of chat.created', [{ ...webhook, events: ['very.secret'] }]],
    ['[0].events must not be empty', [{ ...webhook, events: [] }]],
    ['[0].timeoutMs must be a whole number from 100 to 60000', [{ ...webhook, timeoutMs: 60_001 }]],
    ['[0].allowRedirects must be true or false', [{ ...webhook, allowRedirects: 'very secret' }]],
  ])('refuses a mistake without its value: %s', (message, value) => {
    const json = typeof value === 'string' ? value : JSON.stringify(value);
    const failure = (): string => {
      try {
        readConfig({ WEBHOOKS: json });
        return 'none';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(failure()).toContain(`WEBHOOKS ${message}`);
    expect(failure()).not.toMatch(/very.secret/);
  });
});
