/** The webhooks that an operator configures, and their checks: see docs/administration/webhooks.md. */
import { z } from 'zod';
import { WEBHOOK_EVENTS } from './event-types.js';

/** Webhooks of a server. */
const MAX_WEBHOOKS = 20;

/** Checked, with the defaults. */
export type Webhook = z.output<typeof webhook>;

const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/** The key of a secret; null when it is malformed. */
export function keyOf(secret: string): Buffer | null {
  const [, encoded] = SECRET.exec(secret) ?? [];
  if (encoded === undefined) return null;
  const key = Buffer.from(encoded, 'base64');
  return key.toString('base64') === encoded && key.length >= 24 && key.length <= 64 ? key : null;
}

function isPlainUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

const wholeNumber = (min: number, max: number, byDefault: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.int(message).min(min, message).max(max, message).default(byDefault);
};
const yesOrNo = z.boolean('must be true or false').default(false);

const webhook = z
  .strictObject(
    {
      name: z.string('must be text').regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, - or _'),
      url: z.string('must be text').refine(isPlainUrl, 'must be https:// and a host, without user and password'),
      // Errors must not repeat the value.
      secrets: z
        .array(
          z.string('must be text').refine((secret) => keyOf(secret) !== null, {
            error: 'must be whsec_ and 24 to 64 bytes in base64',
          }),
          'must be a list of one or two secrets',
        )
        .min(1, 'must be a list of one or two secrets')
        .max(2, 'must be a list of one or two secrets'),
      events: z
        .array(z.enum(WEBHOOK_EVENTS, `must be one of ${WEBHOOK_EVENTS.join(', ')}`), 'must be a list of event types')
        .min(1, 'must not be empty; leave it out for all events')
        .optional(),
      allowPrivateAddresses: yesOrNo,
      allowRedirects: yesOrNo,
      timeoutMs: wholeNumber(100, 60_000, 15_000),
      maxAttempts: wholeNumber(1, 20, 12),
      firstPauseMs: wholeNumber(10, 3_600_000, 5_000),
    },
    'must be an object with the settings of a webhook',
  )
  .refine(({ url, allowPrivateAddresses }) => allowPrivateAddresses || !/^http:/i.test(url), {
    path: ['url'],
    error: 'must be https://; http:// requires allowPrivateAddresses',
  });

const webhooks = z
  .array(webhook, 'must be a list of webhooks')
  .max(MAX_WEBHOOKS, `must be at most ${MAX_WEBHOOKS} webhooks`)
  .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'must have unique names');

/**
 * Checks webhooks.
 * @throws Error that names the place of each mistake, without its value
 */
export function checkWebhooks(options: unknown): Webhook[] {
  const { data, error } = webhooks.safeParse(options);
  if (data !== undefined) return data;
  const mistakes = error.issues.map((issue) => {
    const place = issue.path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
    const unknown = issue.code === 'unrecognized_keys' ? 'has a setting that does not exist' : issue.message;
    return `${place === '' ? '' : `${place} `}${unknown}`;
  });
  throw new Error(mistakes.join('; '));
}

/** Reads the JSON of the setting WEBHOOKS. */
export function parseWebhooks(json: string): Webhook[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // The parser's message repeats a part of the text, which contains secrets.
    throw new Error('must be JSON');
  }
  return checkWebhooks(value);
}
