/** Settings whose values are in files. */
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig, SECRETS } from '../../src/config.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const SECRET = 'a secret of thirty-two characters';

function fileWith(content: string): string {
  const path = join(temporaryFolder(), 'secret');
  writeFileSync(path, content);
  return path;
}

const secretsOf = (environment: NodeJS.ProcessEnv) => {
  const { databaseUrl, readDatabaseUrls, redisUrl, filesSecret, auth, webhooks } = readConfig(environment);
  const { secret, previousSecret } = auth as { secret: string; previousSecret: string };
  return [databaseUrl, ...readDatabaseUrls, redisUrl, filesSecret, secret, previousSecret, JSON.stringify(webhooks)];
};

describe('a secret in a file', () => {
  it('equals one in a variable, for each secret', () => {
    const url = 'postgresql://ann:word@db/parley';
    const values: Record<string, string> = {
      ...{ DATABASE_URL: url, READ_DATABASE_URL: url, REDIS_URL: 'redis://:word@cache', FILES_SECRET: SECRET },
      ...{ AUTH_JWT_SECRET: SECRET, AUTH_JWT_PREVIOUS_SECRET: SECRET, WEBHOOKS: '[]' },
    };
    const names = SECRETS.filter((name) => name !== 'AUTH_OIDC_CLIENT_SECRET');
    const files = Object.fromEntries(names.map((name) => [`${name}_FILE`, fileWith(`${values[name]}\r\n`)]));
    expect(secretsOf(files)).toEqual(Object.values(values));
    expect(secretsOf(values)).toEqual(Object.values(values));
  });

  it('can be that of a client of the issuer, which excludes a secret of the server', () => {
    const issuer = { AUTH_JWKS_URL: 'https://id.example/keys', AUTH_ISSUER: 'https://id.example', AUTH_AUDIENCE: 'a' };
    const client = { AUTH_OIDC_CLIENT_ID: 'pages', AUTH_OIDC_CLIENT_SECRET_FILE: fileWith(`${SECRET}\n`) };
    expect(readConfig({ ...issuer, ...client }).auth).toMatchObject({ oidc: { clientSecret: SECRET } });
  });

  it('is not named by an empty variable', () => {
    expect(readConfig({ FILES_SECRET: SECRET, FILES_SECRET_FILE: '' }).filesSecret).toBe(SECRET);
  });

  it('can be as long as 64 KiB', () => {
    const path = fileWith('');
    truncateSync(path, 64 * 1024);
    expect(readConfig({ FILES_SECRET_FILE: path }).filesSecret).toHaveLength(64 * 1024);
    truncateSync(path, 64 * 1024 + 1);
    expect(() => readConfig({ FILES_SECRET_FILE: path })).toThrow(
      '  FILES_SECRET_FILE cannot be read: the file has more',
    );
  });

  it.each([
    ['the file is empty', () => ({ FILES_SECRET_FILE: fileWith('\n') })],
    ['ENOENT', () => ({ FILES_SECRET_FILE: join(temporaryFolder(), 'missing') })],
    ['EISDIR', () => ({ FILES_SECRET_FILE: temporaryFolder() })],
    [
      'cannot be given together with FILES_SECRET',
      () => ({ FILES_SECRET: SECRET, FILES_SECRET_FILE: fileWith(SECRET) }),
    ],
  ])('is refused when %s, with the other mistakes', (mistake, environment) => {
    const settings = { ...environment(), PORT: 'none' };
    expect(() => readConfig(settings)).toThrow(/^ {2}FILES_SECRET_FILE .*\n {2}PORT /m);
    expect(() => readConfig(settings)).toThrow(mistake);
  });
});
