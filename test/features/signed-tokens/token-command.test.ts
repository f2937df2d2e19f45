/** `npm run token`, in this process. */
import { describe, expect, it } from 'vitest';
import { createTokenAuthenticator } from '../../../src/features/signed-tokens/tokens.js';
import { command } from '../../../src/features/signed-tokens/token-command.js';
import { readConfig } from '../../../src/config.js';
import { SECRET } from '../../support/server/tokens.js';
import { runHere } from '../../cli/run-here.js';

const SECRET_SET = { AUTH_JWT_SECRET: SECRET };

const run = (args: readonly string[], environment: NodeJS.ProcessEnv) =>
  runHere('token', command, args, { environment });

describe('npm run token', () => {
  it('prints a token, and nothing else, that a server with the same settings accepts', async () => {
    const environment = { ...SECRET_SET, AUTH_ISSUER: 'me', AUTH_AUDIENCE: 'parley', AUTH_ADMIN_CLAIM: 'roles=boss' };
    const { authenticate } = createTokenAuthenticator(readConfig(environment).auth!);
    for (const [args, isAdmin, hours] of [
      [[], false, 12],
      [['--admin', '--hours', '1'], true, 1],
    ] as const) {
      const { code, out, error } = await run(['--user', 'alice', ...args], environment);
      expect([code, out.length, error]).toEqual([0, 1, []]);
      const { viewer, expiresAt } = await authenticate({ authorization: `Bearer ${out[0]}`, userId: null });
      expect(viewer).toEqual({ userId: 'alice', isAdmin });
      expect(Math.round((expiresAt! - Date.now()) / 3_600_000)).toBe(hours);
    }
  });

  it('prints the reason when it fails', async () => {
    expect(await run(['--user', 'alice'], {})).toMatchObject({
      code: 1,
      out: [],
      error: [expect.stringContaining('AUTH_JWT_SECRET is not set')],
    });
    const published = { AUTH_JWKS_URL: 'https://id.example/keys', AUTH_ISSUER: 'i', AUTH_AUDIENCE: 'a' };
    expect(await run(['--user', 'alice'], published)).toMatchObject({
      code: 1,
      out: [],
      error: [expect.stringContaining('AUTH_JWKS_URL')],
    });
  });

  it.each([
    [[], "required option '--user <ID>' not specified"],
    [['--user', ''], '--user must not be empty'],
    [['--user', 'erased'], '--user must not be "erased", which is reserved for erased users'],
    [['--user', 'a', '--hours', '0'], '--hours must be a whole number from 1 to 8760'],
    [['--user', 'a', '--hours', '8761'], '--hours must be a whole number from 1 to 8760'],
    [['--user', 'a', '--hours', '1.5'], '--hours must be a whole number from 1 to 8760'],
    [['--user', 'a', 'alice'], 'too many arguments'],
  ])('reports the error in %o, and prints the usage', async (args, message) => {
    const { code, out, error } = await run(args, SECRET_SET);
    expect([code, out]).toEqual([2, []]);
    expect(error[0]).toContain(message);
    expect(error[0]).toContain('Usage: parley token');
  });
});
