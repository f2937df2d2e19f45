/** The two servers of compose.yaml behind the HAProxy of deploy/haproxy, with the shipped settings. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { signToken } from '../../src/auth/sign-token.js';
import { INTERNAL_ROUTES, PUBLIC_ROUTES } from '../../src/telemetry/routes.js';
import { sha256, withFile } from '../files/file-server.js';
import { temporaryDatabaseUrl } from '../support/database/temporary-database.js';
import { startConfigured } from '../support/server/configured-server.js';
import { freePort } from '../support/server/free-port.js';
import { haproxyPath, noHaproxy, startHaproxy } from '../support/server/haproxy.js';
import { noRedis, redisServerPath, startRedis } from '../support/server/redis-server.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { composeEnvironment, composeFile, PROJECT } from './manifests.js';

const CONFIGURATION = readFileSync(join(PROJECT, 'deploy/haproxy/haproxy.cfg'), 'utf8');
const NAMES = ['parley-1', 'parley-2'];
/** Larger than the limit of the database, and than the buffers of HAProxy. */
const CONTENT = randomBytes(1024 ** 2);
const DOWNLOADS = 12;

/** Whether a server answers: it sets a request id, HAProxy does not. */
const reaches = (url: string) =>
  fetch(url).then(
    ({ headers }) => headers.has('x-request-id'),
    () => false,
  );

/** Starts them with addresses and folders of this machine. @returns the URL of HAProxy, and the logs of the servers */
async function startDeployment() {
  const { services } = composeFile();
  const databaseUrl = temporaryDatabaseUrl();
  const folder = temporaryFolder();
  const redis = await startRedis();
  const servers = [];
  let configuration = CONFIGURATION;
  for (const name of NAMES) {
    const { FILES_URL = '', ...shipped } = composeEnvironment(services[name]!);
    const server = await startConfigured({
      ...shipped,
      FILES_URL: FILES_URL.replace('./data', folder),
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url,
      METRICS_PORT: String(await freePort()),
      TRUSTED_PROXIES: '127.0.0.1',
      LOG_LEVEL: 'debug',
    });
    configuration = configuration.replace(`${name}:4000`, new URL(server.url).host);
    servers.push(server);
  }
  const address = `127.0.0.1:${await freePort()}`;
  startHaproxy(configuration.replace('bind :4000', `bind ${address}`));
  const url = `http://${address}`;
  const { AUTH_JWT_SECRET: secret = '' } = composeEnvironment(services[NAMES[0]!]!);
  const token = await signToken({ secret }, { userId: 'ann', isAdmin: false, lifetime: 3600 });
  // Until HAProxy listens.
  await expect.poll(() => reaches(url)).toBe(true);
  return { url, servers, headers: { authorization: `Bearer ${token}` } };
}

const isSkipped = haproxyPath === undefined || redisServerPath === undefined;

it.skipIf(isSkipped)(
  `two servers behind HAProxy take large files, and serve the signed URLs of each other${noHaproxy}${noRedis}`,
  async () => {
    const { url, servers, headers } = await startDeployment();
    const post = async (path: string, body: object) => {
      const init = {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      };
      return (await (await fetch(url + path, init)).json()) as { links: { url: string }[] };
    };
    const fileId = sha256(CONTENT);
    // Twice, so that each server receives one.
    for (let upload = 0; upload < NAMES.length; upload++) {
      const init = {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/octet-stream' },
        body: CONTENT,
      };
      expect((await fetch(`${url}/files?name=photo`, init)).status).toBe(201);
    }
    const data = withFile(`parley:file:${fileId}`);
    const query = `mutation ($data: JSON!) {
      createChat(input: { id: "a" }) { __typename }
      saveMessages(input: { chatId: "a", messages: [{ id: "m", name: "user", content: { data: $data } }] }) { __typename }
    }`;
    expect(await post('/graphql', { query, variables: { data } })).toEqual({
      data: { createChat: { __typename: 'CreateChatPayload' }, saveMessages: { __typename: 'SaveMessagesPayload' } },
    });
    const { links } = await post('/files/links', { files: [{ fileId, messageId: 'm' }] });
    for (let download = 0; download < DOWNLOADS; download++) {
      const response = await fetch(url + links[0]!.url);
      expect([download, response.status, sha256(Buffer.from(await response.arrayBuffer()))]).toEqual([
        download,
        200,
        fileId,
      ]);
    }
    for (const server of servers) {
      const served = server
        .log()
        .split('\n')
        .filter((line) => line.includes('"route":"/files/*","status":200'));
      expect(served.length).toBeGreaterThan(1);
    }

    const reached = await Promise.all(
      [...PUBLIC_ROUTES, ...INTERNAL_ROUTES].map(async (route) => [
        route,
        await reaches(url + route.replace('*', 'x')),
      ]),
    );
    expect(reached).toEqual([
      ...PUBLIC_ROUTES.map((route) => [route, true]),
      ...INTERNAL_ROUTES.map((route) => [route, false]),
    ]);
  },
);

it('has the backend that docs/operations.md documents', () => {
  const backendIn = (text: string) => /^backend parley\n(?: .*\n)+/m.exec(text)?.[0];
  const documented = backendIn(readFileSync(join(PROJECT, 'docs/operations.md'), 'utf8'));
  expect(backendIn(CONFIGURATION)?.replaceAll(/parley-(\d):4000/g, '10.0.0.$1:4000')).toBe(documented);
});
