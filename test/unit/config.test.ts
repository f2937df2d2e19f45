import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.js';

describe('the settings', () => {
  it('have defaults with which a server runs on this machine alone', () => {
    expect(readConfig({})).toEqual({
      databaseUrl: 'file:./data/parley.db',
      migrateOnStart: false,
      host: '127.0.0.1',
      port: 4000,
      demo: true,
    });
  });

  it('come from the environment, and nothing else in it matters', () => {
    const environment = {
      DATABASE_URL: 'file:/tmp/x.db',
      MIGRATE_ON_START: 'true',
      HOST: '::1',
      PORT: '0',
      DEMO: 'off',
      PATH: '/bin',
      port: '9',
    };
    expect(readConfig(environment)).toEqual({
      databaseUrl: 'file:/tmp/x.db',
      migrateOnStart: true,
      host: '::1',
      port: 0,
      demo: false,
    });
  });

  it('take an empty variable for one that is not set', () => {
    expect(readConfig({ DATABASE_URL: '', HOST: '', PORT: '', DEMO: '' })).toEqual(readConfig({}));
  });

  it('allow any port there is', () => {
    expect(readConfig({ PORT: '65535' }).port).toBe(65535);
    expect(readConfig({ PORT: '1' }).port).toBe(1);
  });

  it.each([
    ':memory:',
    'postgresql://u:p@db:5432/parley?schema=x',
    'sqlserver://db:1433;database=parley;password={a;b}',
  ])('take %s for a database', (url) => expect(readConfig({ DATABASE_URL: url }).databaseUrl).toBe(url));

  it.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PORT', '1e3'],
    ['PORT', ' 80'],
    ['PORT', 'http'],
    ['PORT', '999999999999'],
    ['DEMO', 'yes'],
    ['DEMO', 'ON'],
    ['DATABASE_URL', 'file:'],
    ['DATABASE_URL', 'file: '],
    ['DATABASE_URL', 'file::memory:'],
    ['DATABASE_URL', 'file:parley.db?connection_limit=1'],
    ['DATABASE_URL', './data/parley.db'],
    ['DATABASE_URL', 'postgresql://localhost'],
    ['DATABASE_URL', 'postgresql://user:12/secret@localhost/parley'],
    ['DATABASE_URL', 'postgresql://localhost/parley?schema=a-b'],
    ['DATABASE_URL', 'postgresql://localhost/parley?connection_limit=1'],
    ['DATABASE_URL', 'postgresql://localhost/parley?pgbouncer=yes'],
    ['DATABASE_URL', 'sqlserver://localhost;user=sa'],
    ['DATABASE_URL', 'mysql://localhost/parley'],
    ['MIGRATE_ON_START', 'yes'],
  ])('refuse %s=%s, saying which it is', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^These settings are wrong:\n {2}${name} must `));
  });

  it('are refused with every mistake in one message, one a line', () => {
    const mistakes = { DATABASE_URL: 'nowhere', HOST: 'localhost', PORT: 'x', DEMO: '1' };
    expect(() => readConfig(mistakes)).toThrow(
      /^These settings are wrong:\n {2}DATABASE_URL must [^\n]+\n {2}PORT must [^\n]+\n {2}DEMO must [^\n]+$/,
    );
  });

  it('are refused without the value being told, which may hold a password', () => {
    expect(() => readConfig({ DATABASE_URL: 'postgres://me:secret@db' })).toThrow(/^(?![^]*secret)/);
  });
});
