/** Prints the messages and tokens of each user, model and month as CSV, from the database of DATABASE_URL. */
import { prismaClient } from 'parley/prisma';

const BATCH_ROWS = 1000;
const COLUMNS = ['month', 'user', 'model', 'messages', 'inputTokens', 'outputTokens'];

/** Reads the messages in batches, so that memory does not grow with the database. */
async function* allMessages(prisma) {
  const select = { id: true, createdAt: true, data: true, chat: { select: { userId: true } } };
  for (let after = ''; ;) {
    const batch = await prisma.message.findMany({
      select,
      where: { id: { gt: after } },
      orderBy: { id: 'asc' },
      take: BATCH_ROWS,
    });
    yield* batch;
    if (batch.length < BATCH_ROWS) return;
    after = batch.at(-1).id;
  }
}

/** The model and the tokens of a message: `messageMetadata` of the AI SDK stores them in its metadata. */
function usageOf(data) {
  const { model, usage } = JSON.parse(data)?.metadata ?? {};
  return { model: model ?? '', inputTokens: usage?.inputTokens ?? 0, outputTokens: usage?.outputTokens ?? 0 };
}

async function report(prisma) {
  const groups = new Map();
  for await (const { createdAt, data, chat } of allMessages(prisma)) {
    const { model, ...tokens } = usageOf(data);
    const month = new Date(Number(createdAt)).toISOString().slice(0, 7);
    const key = JSON.stringify([month, chat.userId, model]);
    const group = groups.get(key) ?? { month, user: chat.userId, model, messages: 0, inputTokens: 0, outputTokens: 0 };
    group.messages += 1;
    for (const kind of ['inputTokens', 'outputTokens']) group[kind] += tokens[kind];
    groups.set(key, group);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

const cell = (value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
const line = (values) => values.map((value) => cell(String(value))).join(',');

const prisma = await prismaClient(process.env.DATABASE_URL ?? 'file:./data/parley.db');
try {
  const groups = await report(prisma);
  console.log([line(COLUMNS), ...groups.map((group) => line(COLUMNS.map((name) => group[name])))].join('\n'));
} finally {
  await prisma.$disconnect();
}
