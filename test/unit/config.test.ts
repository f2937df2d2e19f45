import { describe, expect, it } from 'vitest';
import { readConfig, readServerConfig } from '../../src/config.js';
import { DEVELOPMENT_LIMITS, type Limits } from '../../src/limits/limits.js';

describe('the settings', () => {
  it('have defaults for a server that only this machine can reach', () => {
    expect(readConfig({})).toEqual({
      databaseUrl: 'file:./data/parley.db',
      readDatabaseUrls: [],
      migrateOnStart: false,
      host: '127.0.0.1',
      port: 4000,
      demo: true,
      mcpWrite: false,
      redisUrl: undefined,
      sweepIntervalMs: 5_000,
      draftExpiryMs: 86_400_000,
      recoveryDays: 7,
      deletionRecordDays: 30,
      retentionDays: 0,
      storageQuotaBytes: null,
      allowedOrigins: [],
      socketBufferBytes: 1024 * 1024,
      shutdownTimeoutMs: 10_000,
      logLevel: 'info',
      serviceName: 'parley',
      unusedFileExpiryMs: 86_400_000,
      webhooks: [],
      limits: DEVELOPMENT_LIMITS,
      trustedProxies: [],
    });
  });

  it('come from the environment, whose other variables have no effect', () => {
    const environment = {
      DATABASE_URL: 'file:/tmp/x.db',
      MIGRATE_ON_START: 'true',
      HOST: '::1',
      PORT: '0',
      DEMO: 'off',
      MCP_WRITE: 'true',
      REDIS_URL: 'rediss://user:password@cache:6380/2',
      SWEEP_INTERVAL_MS: '250',
      DRAFT_EXPIRY_MS: '3600000',
      RECOVERY_DAYS: '0',
      DELETION_RECORD_DAYS: '365',
      RETENTION_DAYS: '400',
      STORAGE_QUOTA_BYTES: '1000000',
      FILES_URL: 's3://files/chats?region=eu-west-1',
      FILES_SECRET: 'a secret of thirty-two characters',
      WEBHOOKS: JSON.stringify([{ name: 'hook', url: 'https://hooks.example/', secrets: [`whsec_${'A'.repeat(32)}`] }]),
      UNUSED_FILE_EXPIRY_MS: '60000',
      ALLOWED_ORIGINS: 'https://chat.example,http://localhost:5173',
      SOCKET_BUFFER_BYTES: '65536',
      SHUTDOWN_TIMEOUT_MS: '0',
      METRICS_PORT: '9464',
      LOG_LEVEL: 'trace',
      AUDIT_LOG: 'otlp',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example:4318',
      OTEL_SERVICE_NAME: 'chats',
      PATH: '/bin',
      port: '9',
    };
    expect(readConfig(environment)).toEqual({
      databaseUrl: 'file:/tmp/x.db',
      readDatabaseUrls: [],
      migrateOnStart: true,
      host: '::1',
      port: 0,
      demo: false,
      mcpWrite: true,
      redisUrl: 'rediss://user:password@cache:6380/2',
      sweepIntervalMs: 250,
      recoveryDays: 0,
      deletionRecordDays: 365,
      retentionDays: 400,
      storageQuotaBytes: 1_000_000,
      draftExpiryMs: 3_600_000,
      filesUrl: 's3://files/chats?region=eu-west-1',
      filesSecret: 'a secret of thirty-two characters',
      webhooks: [
        {
          name: 'hook',
          url: 'https://hooks.example/',
          secrets: [`whsec_${'A'.repeat(32)}`],
          allowPrivateAddresses: false,
          allowRedirects: false,
          timeoutMs: 15_000,
          maxAttempts: 12,
          firstPauseMs: 5_000,
        },
      ],
      unusedFileExpiryMs: 60_000,
      allowedOrigins: ['https://chat.example', 'http://localhost:5173'],
      socketBufferBytes: 65536,
      shutdownTimeoutMs: 0,
      metricsPort: 9464,
      logLevel: 'trace',
      auditLog: 'otlp',
      auditEndpoint: 'https://collector.example:4318/v1/logs',
      traceEndpoint: 'https://collector.example:4318',
      serviceName: 'chats',
      limits: DEVELOPMENT_LIMITS,
      trustedProxies: [],
    });
  });

  it.each<[name: string, key: keyof Limits, lowest: number, highest: number]>([
    ['MAX_BODY_BYTES', 'maxBodyBytes', 1024, 1024 ** 3],
    ['MAX_LIST_DEPTH', 'maxListDepth', 0, 1_000_000],
    ['RATE_LIMIT_PER_USER', 'rateLimitPerUser', 0, 1_000_000_000],
  ])('set the limit %s, and no other', (name, key, lowest, highest) => {
    for (const bound of [lowest, highest]) {
      expect(readConfig({ [name]: String(bound) }).limits).toEqual({ ...DEVELOPMENT_LIMITS, [key]: bound });
    }
    for (const value of [lowest - 1, highest + 1, 'x']) {
      expect(() => readConfig({ [name]: String(value) })).toThrow(
        new RegExp(`^These settings are wrong:\n {2}${name} must `),
      );
    }
  });

  it('treat an empty variable as unset', () => {
    const names = ['DATABASE_URL', 'MIGRATE_ON_START', 'HOST', 'PORT', 'DEMO', 'REDIS_URL', 'SWEEP_INTERVAL_MS'];
    const others = ['ALLOWED_ORIGINS', 'SOCKET_BUFFER_BYTES', 'SHUTDOWN_TIMEOUT_MS'];
    const empty = Object.fromEntries([...names, ...others].map((name) => [name, '']));
    expect(readConfig(empty)).toEqual(readConfig({}));
  });

  it('allow every valid port', () => {
    expect(readConfig({ PORT: '65535' }).port).toBe(65535);
    expect(readConfig({ PORT: '1' }).port).toBe(1);
  });

  it('allow sizes and times up to their maximum', () => {
    expect(readConfig({ SWEEP_INTERVAL_MS: '10' }).sweepIntervalMs).toBe(10);
    expect(readConfig({ SWEEP_INTERVAL_MS: '3600000' }).sweepIntervalMs).toBe(3_600_000);
    expect(readConfig({ SOCKET_BUFFER_BYTES: '1024' }).socketBufferBytes).toBe(1024);
    expect(readConfig({ SOCKET_BUFFER_BYTES: '1073741824' }).socketBufferBytes).toBe(1024 ** 3);
    expect(readConfig({ SHUTDOWN_TIMEOUT_MS: '3600000' }).shutdownTimeoutMs).toBe(3_600_000);
  });

  it.each([
    ['https://chat.example', ['https://chat.example']],
    [' https://a.example , http://[::1]:5173,, ', ['https://a.example', 'http://[::1]:5173']],
    [',', []],
  ])('parse "%s" as origins, with or without spaces', (list, origins) => {
    expect(readConfig({ ALLOWED_ORIGINS: list }).allowedOrigins).toEqual(origins);
  });

  const REFUSED: Record<string, string[]> = {
    PORT: ['65536', '-1', '80.5', '1e3', ' 80', 'http', '999999999999'],
    DEMO: ['yes', 'ON'],
    MCP_WRITE: ['yes'],
    DATABASE_URL: [
      ...['file:', 'file: ', 'file::memory:', 'file:parley.db?connection_limit=1', './data/parley.db'],
      ...['postgresql://localhost', 'postgresql://user:12/secret@localhost/parley'],
      ...['postgresql://localhost/parley?schema=a-b', 'postgresql://localhost/parley?connection_limit=1'],
      ...['postgresql://localhost/parley?pgbouncer=yes', 'sqlserver://localhost;user=sa', 'mysql://localhost/parley'],
    ],
    MIGRATE_ON_START: ['yes'],
    READ_DATABASE_URL: ['postgresql://standby/parley'],
    REDIS_URL: ['localhost:6379', 'http://localhost:6379', 'redis://local host', 'redis://localhost:port'],
    DRAFT_EXPIRY_MS: ['59999', '31536000001'],
    SWEEP_INTERVAL_MS: ['9', '0', '3600001', '5s'],
    ALLOWED_ORIGINS: [
      ...['*', 'https://*.example', 'null', 'chat.example', 'https://chat.example/', 'https://chat.example/page'],
      ...['https://CHAT.example', 'https://chat.example:443', 'https://a.example https://b.example'],
      ...['https://a.example,b.example', 'file:///page.html'],
    ],
    SOCKET_BUFFER_BYTES: ['1023', '1073741825', '4 MiB'],
    SHUTDOWN_TIMEOUT_MS: ['-1', '3600001', '1e4'],
    AUDIT_LOG: ['audit.jsonl'],
    METRICS_PORT: ['0', '65536'],
    LOG_LEVEL: ['verbose', 'INFO'],
    OTEL_EXPORTER_OTLP_ENDPOINT: ['collector:4318', 'grpc://collector:4317'],
    OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: ['collector:4318/v1/logs'],
  };
  const refused = Object.entries(REFUSED).flatMap(([name, values]) => values.map((value) => [name, value] as const));
  it.each(refused)('refuse %s=%s with the name of the variable', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^These settings are wrong:\n {2}${name} must `));
  });

  it('send the audit log to a collector, which must have a URL', () => {
    const AUDIT_LOG = 'otlp';
    const OTEL_EXPORTER_OTLP_LOGS_ENDPOINT = 'http://logs.example/otlp';
    expect(readConfig({ AUDIT_LOG, OTEL_EXPORTER_OTLP_LOGS_ENDPOINT })).toMatchObject({
      auditLog: 'otlp',
      auditEndpoint: OTEL_EXPORTER_OTLP_LOGS_ENDPOINT,
      traceEndpoint: undefined,
    });
    expect(() => readConfig({ AUDIT_LOG })).toThrow(/ {2}OTEL_EXPORTER_OTLP_LOGS_ENDPOINT or \S+ENDPOINT must be set/);
  });

  it('are refused with every mistake in one message, one per line', () => {
    const mistakes = { DATABASE_URL: 'nowhere', HOST: 'localhost', PORT: 'x', DEMO: '1' };
    expect(() => readConfig(mistakes)).toThrow(
      /^These settings are wrong:\n {2}DATABASE_URL must [^\n]+\n {2}PORT must [^\n]+\n {2}DEMO must [^\n]+$/,
    );
  });

  it('are refused without the value, which may contain a password', () => {
    expect(() => readConfig({ DATABASE_URL: 'postgres://me:secret@db' })).toThrow(/^(?![^]*secret)/);
    expect(() => readConfig({ REDIS_URL: 'http://me:secret@cache' })).toThrow(/^(?![^]*secret)/);
    expect(() => readConfig({ DATABASE_URL: 'postgresql://me:12/secret@db/parley' })).toThrow(
      /^(?![^]*secret)[^]*those of user and password are written %2F and %40/,
    );
    expect(() => readConfig({ DATABASE_URL: 'postgresql://me:secret/@db:x/parley' })).toThrow(/^(?![^]*secret)/);
  });
});

describe('the settings of a server without tokens', () => {
  it.each(['0.0.0.0', '::', '192.0.2.1'])('refuse HOST=%s, together with all other mistakes', (HOST) => {
    expect(() => readServerConfig({ HOST, MAX_DEPTH: 'x', AUTH_ISSUER: 'me' })).toThrow(
      /^These settings are wrong:\n {2}MAX_DEPTH must [^\n]+\n {2}AUTH_ISSUER is set, [^\n]+\n {2}HOST is not a loopback address: [^\n]+$/,
    );
  });

  it.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('accept HOST=%s', (HOST) => {
    expect(readServerConfig({ HOST }).host).toBe(HOST);
  });

  it('of commands accept any HOST, because commands do not listen', () => {
    expect(readConfig({ HOST: '0.0.0.0' }).host).toBe('0.0.0.0');
  });
});

it('the settings of a server with tokens accept any HOST', () => {
  expect(readServerConfig({ HOST: '0.0.0.0', AUTH_JWT_SECRET: 'x'.repeat(32) }).host).toBe('0.0.0.0');
});
