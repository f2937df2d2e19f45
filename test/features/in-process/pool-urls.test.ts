/** The conversion of connection pools to database URLs. */
import { describe, expect, test } from 'vitest';
import {
  postgresUrl,
  sqlServerUrl,
  type PostgresPool,
  type SqlServerPool,
} from '../../../src/features/in-process/pool-urls.js';

describe('a pool of node-postgres', () => {
  test.each<[string | PostgresPool, string]>([
    ['postgresql://u:p@h/d?schema=s', 'postgresql://u:p@h/d?schema=s'],
    [{ host: 'h', port: 6543, user: 'a b', password: 'p@/', database: 'd' }, 'postgresql://a%20b:p%40%2F@h:6543/d'],
    [{ user: 'u', max: 4, ssl: true }, 'postgresql://u@localhost:5432/u?connection_limit=4&sslmode=require'],
    [{ connectionString: 'postgres://u@h/d', password: 'p', ssl: false }, 'postgres://u:p@h/d'],
  ])('%j', (pool, url) => {
    expect(postgresUrl(pool)).toBe(url);
  });

  test.each<[unknown, string, string]>([
    ['file:chat.db', 'pool', 'pool must begin with postgresql://'],
    [{ connectionString: 'mysql://h/d' }, 'pool', 'pool must begin with postgresql://'],
    [{ host: 'h', databse: 'd' }, 'pool.databse', 'pool.databse is unknown'],
    [{ user: 7 }, 'pool.user', 'pool.user must be a text'],
    [{ user: 'u', ssl: {} }, 'pool.ssl', 'pool.ssl must be true or false'],
    [new Map(), 'pool', 'pool must be a plain object'],
    [undefined, 'pool', 'pool must be a plain object'],
  ])('%j is refused', (pool, path, message) => {
    const refused = { code: 'INVALID_INPUT', path, message: expect.stringContaining(message) as string };
    expect(() => postgresUrl(pool as PostgresPool)).toThrow(expect.objectContaining(refused));
  });
});

describe('a pool of mssql', () => {
  test.each<[string | SqlServerPool, string]>([
    [
      'Server=localhost;Database=mydb;User Id=sa;Password=secret;TrustServerCertificate=true',
      'sqlserver://localhost;database={mydb};user={sa};password={secret};trustServerCertificate={true}',
    ],
    ['data source=tcp:h,1444; Initial Catalog = d;PWD="a;b"', 'sqlserver://h:1444;database={d};password={a;b}'],
    ['sqlserver://h;database=d', 'sqlserver://h;database=d'],
    [
      { server: 'h', database: 'd', user: 'u', password: 'p', options: { encrypt: false }, pool: { max: 4 } },
      'sqlserver://h:1433;database={d};user={u};password={p};encrypt={false};connectionLimit={4}',
    ],
  ])('%j', (pool, url) => {
    expect(sqlServerUrl(pool)).toBe(url);
  });

  test.each<[unknown, string, string]>([
    ['Server=h;Database=d;Pooling=true', 'pool', 'pool has the setting "Pooling", which is unknown'],
    ['Database=d', 'pool', 'pool must name a server'],
    [{ server: 'h', database: 'd', domain: 'x' }, 'pool.domain', 'pool.domain is unknown'],
    [{ server: 'h', options: { port: 1 } }, 'pool.options.port', 'pool.options.port is unknown'],
    [{ database: 'd' }, 'pool.server', 'pool.server must be a text'],
    ['Server=h;Password=a}b', 'pool', 'pool must not have { or } in its password'],
  ])('%j is refused', (pool, path, message) => {
    const refused = { code: 'INVALID_INPUT', path, message: expect.stringContaining(message) as string };
    expect(() => sqlServerUrl(pool as SqlServerPool)).toThrow(expect.objectContaining(refused));
  });
});
