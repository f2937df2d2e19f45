import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { readServerConfig, SERVER_SETTINGS } from '../../src/config.js';
import { defaultFilesUrl } from '../../src/features/files/open-files.js';
import { dockerfileStages, environmentOf } from './dockerfile.js';
import { composeEnvironment, composeFile, filled, PROJECT } from './manifests.js';

const { services, volumes } = composeFile();
const { TMPDIR } = environmentOf(dockerfileStages().at(-1)!);
const servers = Object.entries(services).filter(([, { image }]) => image === 'parley');
const replicas = ['parley-1', 'parley-2'];

describe.each(servers)('%s', (name, service) => {
  const environment = composeEnvironment(service);
  const config = readServerConfig({ HOST: '0.0.0.0', ...environment });

  it('has valid settings and requires tokens', () => {
    const known = SERVER_SETTINGS.map(({ variable }) => variable);
    expect(Object.keys(environment).filter((variable) => !known.includes(variable))).toEqual([]);
    expect(config.auth).toMatchObject({ secret: 'x'.repeat(32) });
  });

  it('stores files of any allowed size on a volume, and shares the secret of their URLs', () => {
    const folder = (config.filesUrl ?? defaultFilesUrl(environment['DATABASE_URL']!)).replace(/^file:/, '');
    // The working directory of the image.
    expect(join('/app', relative(process.cwd(), resolve(folder)))).toMatch(/^\/app\/data\/./);
    expect(config.filesSecret).toBe('x'.repeat(32));
  });

  it('can be reached at its port from this machine only', () => {
    const ports = (replicas.includes(name) ? services['haproxy'] : service)?.ports ?? [];
    expect(ports.map(filled)).toEqual([`127.0.0.1:4000:${config.port}`]);
  });

  it('writes only to a volume, and has a health check', () => {
    expect(service.read_only).toBe(true);
    const tmp = `parley-tmp:${TMPDIR}`;
    expect(service.volumes).toEqual(['parley:/app/data', tmp, 'parley-backups:/app/backups']);
    const gracePeriod = Number.parseInt(service.stop_grace_period ?? '', 10);
    expect(gracePeriod * 1000).toBeGreaterThan(2 * config.shutdownTimeoutMs);
  });
});

describe('the volume for temporary files', () => {
  /** Interpolates the given variables like Compose. */
  const optionsWith = (given: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(volumes['parley-tmp']?.driver_opts ?? {}).map(([name, value]) => [
        name,
        value.replaceAll(/\$\{([A-Z_]+):([+-])([^}]*)\}/g, (_, variable: string, sign: string, other: string) => {
          const own = given[variable] ?? '';
          return sign === '+' ? (own === '' ? '' : other) : own === '' ? other : own;
        }),
      ]),
    );

  it('is on the disk, and may use a device or a quota of a fixed size', () => {
    expect(optionsWith({})).toEqual({ type: '', device: '', size: '0' });
    const device = '/dev/loop7';
    expect(optionsWith({ PARLEY_TMP_DEVICE: device })).toEqual({ type: 'ext4', device, size: '0' });
    expect(optionsWith({ PARLEY_TMP_SIZE: '6G' })).toEqual({ type: '', device: '', size: '6G' });
  });

  it('is large enough for the uploads that each server accepts', () => {
    const bounds = servers.map(([, { environment }]) => environment?.['IMPORT_SPOOL_BYTES']);
    expect(bounds).toEqual(servers.map(() => 4 * 1024 ** 3));
  });
});

test('no port is published to other machines', () => {
  const ports = Object.values(services).flatMap((service) => service.ports ?? []);
  expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
});

test('HAProxy distributes requests to both replicas, with a configuration of its own', () => {
  const [mount = ''] = services['haproxy']?.volumes ?? [];
  expect(mount).toBe('./deploy/haproxy:/usr/local/etc/haproxy:ro');
  const configuration = readFileSync(join(PROJECT, 'deploy/haproxy/haproxy.cfg'), 'utf8');
  const addresses = Array.from(configuration.matchAll(/^ +server \S+ (\S+)/gm), ([, address]) => address);
  expect(addresses).toEqual(replicas.map((name) => `${name}:4000`));
});

test('Prometheus scrapes both servers, and loads the alerts', () => {
  const [mount = ''] = services['prometheus']?.volumes ?? [];
  const [folder = '', target] = mount.split(':');
  // The image reads /etc/prometheus/prometheus.yml.
  expect(target).toBe('/etc/prometheus');
  const { scrape_configs, rule_files } = parse(readFileSync(join(PROJECT, folder, 'prometheus.yml'), 'utf8')) as {
    scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
    rule_files: string[];
  };
  const targets = scrape_configs.flatMap((each) => each.static_configs.flatMap((one) => one.targets));
  expect(targets).toEqual(replicas.map((name) => `${name}:${services[name]?.environment?.['METRICS_PORT']}`));
  // The alerts use this job name.
  expect(scrape_configs.map(({ job_name }) => job_name)).toEqual(['parley']);
  expect(rule_files.map((path) => join(folder, path))).toEqual(['deploy/prometheus/alerts.yaml']);
});
