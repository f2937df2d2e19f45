/** Two servers with the settings of compose.yaml, and of deploy/kubernetes, behind the HAProxy of deploy/haproxy. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { signToken } from '../../src/features/signed-tokens/sign-token.js';
import { INTERNAL_ROUTES, PUBLIC_ROUTES } from '../../src/server/paths.js';
import { sha256, withFile } from '../features/files/file-server.js';
import { temporaryDatabaseUrl } from '../support/database/temporary-database.js';
import { startConfigured, type ConfiguredServer } from '../support/server/configured-server.js';
import { freePort } from '../support/server/free-port.js';
import { noHaproxy, startHaproxy } from '../support/server/haproxy.js';
import { noRedis, startRedis } from '../support/server/redis-server.js';
import { noSwift, startSwift } from '../support/server/swift.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { composeEnvironment, composeFile, manifestOf, PROJECT } from './manifests.js';

const CONFIGURATION = readFileSync(join(PROJECT, 'deploy/haproxy/haproxy.cfg'), 'utf8');
const REPLICAS = ['parley-1', 'parley-2'];
/** Signs tokens and URLs. */
const SECRET = 'x'.repeat(32);
/** Larger than the limit of the database, and than the buffers of HAProxy. */
const CONTENT = randomBytes(1024 ** 2);
const DOWNLOADS = 12;

/** Whether a server answers: it sets a request id, HAProxy does not. */
const reaches = (url: string) =>
  fetch(url).then(
    ({ headers }) => headers.has('x-request-id'),
    () => false,
  );

interface Deployment {
  /** The settings of both servers, with addresses and folders of this machine. */
  environment(): Promise<Record<string, string>>;
  /** Why it cannot run on this machine; empty if it can. */
  skipped: string;
}

const DEPLOYMENTS: Record<string, Deployment> = {
  'compose.yaml': {
    async environment() {
      const { services } = composeFile();
      const [environment, other] = REPLICAS.map((name) => composeEnvironment(services[name]!));
      expect(other).toEqual(environment);
      const FILES_URL = environment!['FILES_URL']!.replace('./data', temporaryFolder());
      return { ...environment, FILES_URL, REDIS_URL: (await startRedis()).url };
    },
    skipped: noHaproxy + noRedis,
  },
  'deploy/kubernetes': {
    async environment() {
      const { AUTH_JWKS_URL, AUTH_ISSUER, AUTH_AUDIENCE, FILES_URL, ...environment } = manifestOf('ConfigMap').data;
      const variables = manifestOf('Deployment').spec.template.spec.containers[0].env.map(({ name }) => name);
      expect(variables).toContain('FILES_SECRET');
      const bucket = new URL(FILES_URL!);
      const swift = await startSwift(bucket.host);
      onTestFinished(() => swift.close());
      vi.stubEnv('AWS_ACCESS_KEY_ID', swift.accessKey);
      vi.stubEnv('AWS_SECRET_ACCESS_KEY', swift.secret);
      onTestFinished(() => void vi.unstubAllEnvs());
      bucket.searchParams.set('region', swift.region);
      bucket.searchParams.set('endpoint', swift.endpoint);
      return { ...environment, FILES_URL: bucket.href, FILES_SECRET: SECRET, AUTH_JWT_SECRET: SECRET };
    },
    skipped: noHaproxy + noSwift,
  },
};

/** @returns the URL of HAProxy, the servers, and the headers of a user */
async function start(deployment: Deployment) {
  const environment = {
    ...(await deployment.environment()),
    DATABASE_URL: temporaryDatabaseUrl(),
    MIGRATE_ON_START: 'true' as const,
    TRUSTED_PROXIES: '127.0.0.1',
    LOG_LEVEL: 'debug',
  };
  const servers = [];
  let configuration = CONFIGURATION;
  for (const name of REPLICAS) {
    const server = await startConfigured({ ...environment, METRICS_PORT: String(await freePort()) });
    configuration = configuration.replace(`${name}:4000`, new URL(server.url).host);
    servers.push(server);
  }
  const address = `127.0.0.1:${await freePort()}`;
  startHaproxy(configuration.replace('bind :4000', `bind ${address}`));
  const url = `http://${address}`;
  const token = await signToken({ secret: SECRET }, { userId: 'ann', isAdmin: false, lifetime: 3600 });
  // Until HAProxy listens.
  await expect.poll(() => reaches(url)).toBe(true);
  return { url, servers, headers: { authorization: `Bearer ${token}` } };
}

test.for(Object.entries(DEPLOYMENTS))(
  'two servers of %s take large files, and serve the signed URLs of each other',
  async ([, deployment], { skip }) => {
    skip(deployment.skipped !== '', deployment.skipped);
    const { url, servers, headers } = await start(deployment);
    const post = async (path: string, type: string, body: string | Uint8Array<ArrayBuffer>) => {
      const response = await fetch(url + path, { method: 'POST', headers: { ...headers, 'content-type': type }, body });
      return { status: response.status, body: (await response.json()) as { links: { url: string }[] } };
    };
    const postJson = (path: string, body: object) => post(path, 'application/json', JSON.stringify(body));
    const fileId = sha256(CONTENT);
    // Twice, so that each server receives one.
    for (const name of REPLICAS) {
      const { status } = await post(`/files?name=${name}`, 'application/octet-stream', CONTENT);
      expect([name, status]).toEqual([name, 201]);
    }
    const query = `mutation ($data: JSON!) {
      createChat(input: { id: "a" }) { __typename }
      saveMessages(input: { chatId: "a", messages: [{ id: "m", name: "user", content: { data: $data } }] }) { __typename }
    }`;
    const saved = await postJson('/graphql', { query, variables: { data: withFile(`parley:file:${fileId}`) } });
    expect(saved.body).toEqual({
      data: { createChat: { __typename: 'CreateChatPayload' }, saveMessages: { __typename: 'SaveMessagesPayload' } },
    });
    const { body } = await postJson('/files/links', { files: [{ fileId, messageId: 'm' }] });
    for (let download = 0; download < DOWNLOADS; download++) {
      const response = await fetch(url + body.links[0]!.url);
      const received = sha256(Buffer.from(await response.arrayBuffer()));
      expect([download, response.status, received]).toEqual([download, 200, fileId]);
    }
    const served = (server: ConfiguredServer) =>
      server.log().match(/"method":"GET","route":"\/files\/\*","status":200/g)?.length ?? 0;
    await expect.poll(() => Math.min(...servers.map(served))).toBeGreaterThan(1);

    const routes = [...PUBLIC_ROUTES, ...INTERNAL_ROUTES];
    const reached = await Promise.all(routes.map((route) => reaches(url + route.replace('*', 'x'))));
    expect(routes.filter((_, n) => reached[n])).toEqual(PUBLIC_ROUTES);
  },
);

test('HAProxy has the backend that docs/operations.md documents', () => {
  const backendIn = (text: string) => /^backend parley\n(?: .*\n)+/m.exec(text)?.[0];
  const documented = backendIn(readFileSync(join(PROJECT, 'docs/operations.md'), 'utf8'));
  expect(backendIn(CONFIGURATION)?.replaceAll(/parley-(\d):4000/g, '10.0.0.$1:4000')).toBe(documented);
});
