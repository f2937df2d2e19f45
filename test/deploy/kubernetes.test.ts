import { describe, expect, it, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readServerConfig, SERVER_SETTINGS } from '../../src/config.js';
import { parseS3Url } from '../../src/features/files/storage/s3-url.js';
import { MAX_IMPORT_BYTES } from '../../src/features/imports/requests/import-route.js';
import { COMMANDS } from '../../src/cli/program.js';
import { INTERNAL_ROUTES, PUBLIC_ROUTES } from '../../src/server/paths.js';
import { startListening } from '../support/server/listening-server.js';
import { dockerfileStages, environmentOf } from './dockerfile.js';
import { kubernetesFiles, manifestOf, manifestsOf, type Manifest } from './manifests.js';

const deployment = manifestOf('Deployment');
const job = manifestOf('Job');
const configMap = manifestOf('ConfigMap');
const pod = deployment.spec.template;
const [server] = pod.spec.containers;
const [migration] = job.spec.template.spec.containers;
const variables = [...server.env, ...migration.env];

/** The settings of the pod, with an existing database URL. */
const config = readServerConfig({ ...configMap.data, HOST: '0.0.0.0', DATABASE_URL: 'postgresql://parley@db/parley' });

/** Whether a path of an Ingress matches that of a request. */
function pathMatches(type: string, path: string, requested: string): boolean {
  return requested === path || (type === 'Prefix' && requested.startsWith(path.replace(/\/?$/, '/')));
}

const gibibytes = (quantity: string) => Number(/^([0-9]+)Gi$/.exec(quantity)?.[1]);

const portOf = (name: string) => server.ports?.find((port) => port.name === name)?.containerPort;

test.each([...kubernetesFiles().keys()])('%s is one valid YAML document', (name) => {
  const documents = parseAllDocuments(kubernetesFiles().get(name)!, { strict: true, uniqueKeys: true });
  expect(documents).toHaveLength(1);
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
});

describe('the settings', () => {
  it('are settings of the server, and require tokens', () => {
    const names = [...Object.keys(configMap.data), ...variables.map(({ name }) => name)];
    const others = names.filter((name) => SERVER_SETTINGS.every(({ variable }) => variable !== name));
    // Variables of the SDK that FILES_URL uses.
    expect(others).toEqual(['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']);
    expect(config.auth).toMatchObject({ jwksUrl: expect.stringMatching(/^https:/) as string });
  });

  it('contain no secrets: they refer to a Secret', () => {
    expect([...kubernetesFiles().values()].filter((text) => /^kind: Secret$/m.test(text))).toEqual([]);
    expect(Object.keys(configMap.data).filter((name) => /URL|SECRET|PASSWORD/.test(name))).toEqual([
      'AUTH_JWKS_URL',
      'FILES_URL',
    ]);
    expect(variables.map(({ name, value, valueFrom }) => [name, value, valueFrom?.secretKeyRef.name])).toEqual([
      ['DATABASE_URL', undefined, 'parley'],
      ['REDIS_URL', undefined, 'parley'],
      ['FILES_SECRET', undefined, 'parley'],
      ['AWS_ACCESS_KEY_ID', undefined, 'parley'],
      ['AWS_SECRET_ACCESS_KEY', undefined, 'parley'],
      ['DATABASE_URL', undefined, 'parley-migration'],
    ]);
  });
});

test('the servers share the contents of files, and the secret of their URLs', () => {
  expect(parseS3Url(config.filesUrl ?? '')).toMatchObject({ bucket: 'parley-files' });
  const secret = server.env.find(({ name }) => name === 'FILES_SECRET')?.valueFrom?.secretKeyRef;
  // Without the key, Kubernetes starts no server.
  expect(secret).toEqual({ name: 'parley', key: 'files-secret' });
});

describe('the server', () => {
  it('listens on the ports of its container', () => {
    expect({ http: portOf('http'), metrics: portOf('metrics') }).toEqual({
      http: config.port,
      metrics: config.metricsPort,
    });
  });

  it('has a liveness probe and a separate readiness probe', async () => {
    const { url } = await startListening();
    const asked = await Promise.all(
      [server.startupProbe, server.livenessProbe, server.readinessProbe].map(async ({ httpGet }) => {
        const answer = await fetch(new URL(httpGet.path, url));
        return [httpGet.port, answer.status, ((await answer.json()) as { status: string }).status];
      }),
    );
    expect(asked).toEqual([
      ['http', 200, 'live'],
      ['http', 200, 'live'],
      ['http', 200, 'ready'],
    ]);
  });

  it('has time to finish running operations and to close its database after traffic ends', () => {
    const [sleep, seconds] = server.lifecycle.preStop.exec.command;
    expect(sleep).toBe('sleep');
    const needed = Number(seconds) + (2 * config.shutdownTimeoutMs) / 1000;
    expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThan(needed);
  });
});

test("uploads wait on a writable volume on the disk that exceeds the server's limit", () => {
  const { TMPDIR } = environmentOf(dockerfileStages().at(-1)!);
  expect(server.volumeMounts).toEqual([{ name: 'tmp', mountPath: TMPDIR }]);
  const [volume, ...others] = pod.spec.volumes ?? [];
  expect([volume?.name, others]).toEqual(['tmp', []]);
  const { sizeLimit = '', ...rest } = volume?.emptyDir ?? {};
  // Without a medium, the volume is on the disk.
  expect(rest).toEqual({});
  expect(gibibytes(sizeLimit)).toBeGreaterThan(Number(configMap.data['IMPORT_SPOOL_BYTES']) / 1024 ** 3);
});

test('its memory suffices for the heap, for buffers outside it, and for imports', () => {
  const { limits } = server.resources as { limits: { memory: string } };
  const outside = 240 * 1024 ** 2 + Number(configMap.data['IMPORT_MEMORY_BYTES']);
  expect(outside).toBeGreaterThan(0);
  expect(gibibytes(limits.memory) / 2).toBeGreaterThan(outside / 1024 ** 3);
});

describe.each([
  ['the server', pod, server],
  ['the migration', job.spec.template, migration],
])('%s', (_name, { spec }, container) => {
  it('runs without privileges, as an unprivileged user, on a read-only file system', () => {
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(spec).toMatchObject({ automountServiceAccountToken: false });
  });
});

test('the migration is a command of the same image, and grants rights to the role of the servers', () => {
  expect(migration.image).toBe(server.image);
  expect(migration.command).toEqual(['node', 'dist/cli/parley.js', 'migrate', '--grant-to', 'parley']);
  expect(Object.keys(COMMANDS)).toContain('migrate');
});

describe('the network', () => {
  const policy = manifestOf('NetworkPolicy');
  const service = manifestOf('Service');

  it.each([
    ['Deployment', (spec: Manifest['spec']) => spec.selector.matchLabels],
    ['PodDisruptionBudget', (spec: Manifest['spec']) => spec.selector.matchLabels],
    ['NetworkPolicy', (spec: Manifest['spec']) => spec.podSelector.matchLabels],
    ['Service', (spec: Manifest['spec']) => spec.selector],
  ])('%s selects the servers, not the migration', (kind, labelsOf) => {
    expect(labelsOf(manifestOf(kind).spec)).toEqual(pod.metadata.labels);
    expect(job.spec.template.metadata.labels).not.toMatchObject(pod.metadata.labels);
  });

  it('restricts the metrics and the API to their clients', () => {
    expect(policy.spec.ingress.map(({ ports }) => ports)).toEqual([[{ port: 'http' }], [{ port: 'metrics' }]]);
    for (const { from } of policy.spec.ingress) expect(from).toHaveLength(1);
  });

  const ingresses = manifestsOf('Ingress');
  const pathsOf = ({ spec }: Manifest) => spec.rules.flatMap(({ http }) => http.paths);

  it('exposes each route of clients, and no route of operators', () => {
    const paths = ingresses.flatMap(pathsOf);
    const backend = { service: { name: service.metadata.name, port: { name: 'http' } } };
    for (const path of paths) expect(path).toMatchObject({ backend });
    const forwards = (route: string) =>
      paths.filter(({ path, pathType }) => pathMatches(pathType, path, route.replace('*', 'x'))).length;
    const exposed = [...PUBLIC_ROUTES, ...INTERNAL_ROUTES].map((route) => [route, forwards(route)]);
    expect(exposed).toEqual([
      ...PUBLIC_ROUTES.map((route) => [route, 1]),
      ...INTERNAL_ROUTES.map((route) => [route, 0]),
    ]);
    expect(service.spec.ports).toMatchObject([{ name: 'http', targetPort: 'http' }]);
  });

  it('forwards bodies up to the size that the server accepts, and streams uploads', () => {
    const annotations = Object.fromEntries(
      ingresses.flatMap((ingress) => pathsOf(ingress).map(({ path }) => [path, ingress.metadata.annotations])),
    );
    const nginx = (name: string) => `nginx.ingress.kubernetes.io/${name}`;
    expect(annotations['/graphql']?.[nginx('proxy-body-size')]).toBe(`${config.limits.maxBodyBytes / 1024 ** 2}m`);
    expect(annotations['/import']).toMatchObject({
      [nginx('proxy-body-size')]: `${MAX_IMPORT_BYTES / 1024 ** 3}g`,
      [nginx('proxy-request-buffering')]: 'off',
    });
    expect(annotations['/files']).toMatchObject({
      [nginx('proxy-body-size')]: `${config.limits.maxFileBytes / 1024 ** 2}m`,
      [nginx('proxy-request-buffering')]: 'off',
      [nginx('proxy-buffering')]: 'off',
    });
    expect(annotations['/export']?.[nginx('proxy-buffering')]).toBe('off');
  });
});
