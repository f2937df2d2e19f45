/**
 * Files: threads with many files, the throughput of transfers against bare Node streams, and the memory of concurrent
 * transfers.
 */
import { guardsOf } from '../../src/features/all-guards.js';
import { fileService } from '../../src/features/files/open-files.js';
import { randomBytes } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { createChat } from '../../src/conversation/chats.js';
import { saveMessages } from '../../src/conversation/saving/save.js';
import { openDatabase, type OpenDatabase } from '../../src/database/opening/open.js';
import { residentBytes } from '../live/faults/resident-bytes.js';
import { CHAIN_FIELDS } from './chains.js';
import { PIECE, VIEWER } from './measuring/fixture.js';
import { medians } from './measuring/measure.js';
import { startWorker } from './measuring/processes.js';
import { ratioOf, type Ratio } from './measuring/report.js';
import { withServer } from './measuring/server.js';

const IMAGES = 1_000;
const MIB = 1024 ** 2;
const FILE_BYTES = 64 * MIB;
const TRANSFERS = 100;
const TRANSFER_BYTES = 100_000_000;
/** Where the disk has less than twice the bytes of all uploads. */
const SMALL_TRANSFER_BYTES = 16 * MIB;
const SAMPLE_MS = 20;

const hashOf = (n: number) => n.toString(16).padStart(64, '0');

/** A chain of messages, each with an image: a stored file, or a URL of the same length. */
async function writeThread({ store }: OpenDatabase, chatId: string, urlOf: (n: number) => string): Promise<void> {
  await createChat(store, VIEWER, { id: chatId });
  for (let from = 0; from < IMAGES; from += PIECE) {
    const messages = Array.from({ length: PIECE }, (_, i) => ({
      id: `${chatId}-${from + i}`,
      name: 'user',
      content: {
        data: {
          role: 'user',
          parts: [
            { type: 'text', text: 'Look at this' },
            { type: 'file', mediaType: 'image/png', filename: 'photo.png', url: urlOf(from + i) },
          ],
        },
      },
    }));
    await saveMessages(store, VIEWER, { chatId, messages });
  }
}

/** @param url of a missing SQLite file, which is created */
export async function* measureThreads(url: string): AsyncGenerator<Ratio> {
  const database = await openDatabase({ url, hooksOf: guardsOf });
  const records = fileService.records(database.connection);
  for (let n = 0; n < IMAGES; n++) {
    const storageKey = `00/${hashOf(n)}-1`;
    await records.announce(storageKey);
    await records.add(VIEWER.userId, { id: hashOf(n), mediaType: 'image/png', size: 1_000, storageKey });
  }
  await writeThread(database, 'with', (n) => `parley:file:${hashOf(n)}`);
  await writeThread(database, 'without', (n) => `https://a.org${hashOf(n).slice(1)}`);
  await database.store.close();
  const chain = (chatId: string, fields = CHAIN_FIELDS) =>
    `{ chat(id: "${chatId}") { activeBranch { chain { ${fields} } } } }`;
  const page = (chatId: string, fields = CHAIN_FIELDS) =>
    `{ chat(id: "${chatId}") { activeBranch { messages(last: 50) { edges { node { ${fields} } } } } } }`;
  const withFiles = `${CHAIN_FIELDS} files { id name position url file { id mediaType size } }`;
  const times = await withServer(url, ({ post }) =>
    medians(
      {
        with: () => post(chain('with')),
        selected: () => post(chain('with', withFiles)),
        without: () => post(chain('without')),
        noneSelected: () => post(chain('without', withFiles)),
        pageWith: () => post(page('with')),
        pageSelected: () => post(page('with', withFiles)),
        pageWithout: () => post(page('without')),
      },
      30,
    ),
  );
  yield ratioOf('a thread of 1,000 images against one without', times.with, times.without, 1.2);
  yield ratioOf('a thread of 1,000 images with `files` against one without', times.selected, times.without, 1.2);
  yield ratioOf('the same, and `files` selected in both', times.selected, times.noneSelected, 1.2);
  yield ratioOf('its last 50 messages against those of one without', times.pageWith, times.pageWithout, 1.2);
  yield ratioOf('its last 50 messages with `files` against those without', times.pageSelected, times.pageWithout, 1.2);
}

interface Transfer {
  url: string;
  /** The request body; a download has none. */
  body?: Buffer;
  agent: Agent;
}

/** Reads the whole response. @returns the start of its text */
function transfer({ url, body, agent }: Transfer): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/octet-stream' };
    const outgoing = request(url, { method: body === undefined ? 'GET' : 'POST', agent, headers }, (incoming) => {
      let beginning: Buffer | undefined;
      incoming.on('data', (chunk: Buffer) => (beginning ??= chunk.subarray(0, 300)));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = beginning?.toString('latin1') ?? '';
        if (incoming.statusCode === 200 || incoming.statusCode === 201) resolve(text);
        else reject(new Error(text));
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/**
 * @param url of a missing SQLite file, which is created
 * @param folder for the files of both servers
 */
export async function* measureTransfers(url: string, folder: string): AsyncGenerator<Ratio> {
  const agent = new Agent({ keepAlive: true });
  const bare = startWorker(new URL('./files/bare-server.ts', import.meta.url));
  try {
    const bareUrl = (await bare.ask(folder)) as string;
    const content = randomBytes(FILE_BYTES);
    yield* await withServer(
      url,
      async ({ post, url: graphql, pid }) => {
        const filesUrl = graphql.replace('/graphql', '/files');
        const upload = (body: Buffer) => transfer({ url: filesUrl, body, agent });
        const saved = async (body: Buffer) => {
          const { id, reference } = JSON.parse(await upload(body)) as { id: string; reference: string };
          const data = JSON.stringify({ parts: [{ type: 'file', url: reference }] }).replace(/"(\w+)":/g, '$1:');
          await post(`mutation { upsertChat(input: { id: "a" }) { __typename } }`);
          await post(
            `mutation { saveMessages(input: { chatId: "a", messages: [{ name: "user", content: { data: ${data} } }] }) { __typename } }`,
          );
          return `${filesUrl}/${id}`;
        };
        const fileUrl = await saved(content);
        const times = await medians(
          {
            upload: () => upload(content),
            bareUpload: () => transfer({ url: bareUrl, body: content, agent }),
            download: () => transfer({ url: fileUrl, agent }),
            bareDownload: () => transfer({ url: bareUrl, agent }),
          },
          2,
        );
        const { bavail, bsize } = await statfs(folder);
        const bytes = bavail * bsize > 2 * TRANSFERS * TRANSFER_BYTES ? TRANSFER_BYTES : SMALL_TRANSFER_BYTES;
        const shared = randomBytes(bytes);
        const sharedUrl = await saved(shared);
        const idle = residentBytes(pid);
        const uploads = await peakOf(pid, () => upload(shared));
        const downloads = await peakOf(pid, () => transfer({ url: sharedUrl, agent }));
        return [
          throughput('upload', times.upload, times.bareUpload),
          throughput('download', times.download, times.bareDownload),
          memory(`uploads of ${bytes / 1e6} MB`, idle, uploads),
          memory(`downloads of ${bytes / 1e6} MB`, idle, downloads),
        ];
      },
      undefined,
      { IMPORT_SPOOL_BYTES: String(4 * TRANSFERS * TRANSFER_BYTES) },
    );
  } finally {
    agent.destroy();
    await bare.stop();
  }
}

function throughput(what: string, time: number, bareTime: number): Ratio {
  const rate = (ms: number) => `${Math.round(FILE_BYTES / MIB / (ms / 1_000))} MiB/s`;
  return {
    what: `${what} of a file of ${FILE_BYTES / MIB} MiB against bare Node streams`,
    ratio: bareTime / time,
    goal: 0.8,
    atLeast: true,
    detail: `${rate(time)} against ${rate(bareTime)}`,
  };
}

function memory(what: string, idle: number, peak: number): Ratio {
  return {
    what: `memory of ${TRANSFERS} parallel ${what} above the server before`,
    ratio: (peak - idle) / MIB,
    goal: 64,
    unit: 'MiB',
    detail: `${Math.round(peak / MIB)} MiB against ${Math.round(idle / MIB)} MiB`,
  };
}

/** The maximum resident memory of a process while all transfers run. */
async function peakOf(pid: number, start: () => Promise<unknown>): Promise<number> {
  let peak = residentBytes(pid);
  const sampling = setInterval(() => (peak = Math.max(peak, residentBytes(pid))), SAMPLE_MS);
  await Promise.all(Array.from({ length: TRANSFERS }, start)).finally(() => clearInterval(sampling));
  return peak;
}
