/** An agent in a terminal: each line is a question. Questions and growing answers are visible in a branching chat. */
import { createInterface } from 'node:readline';
import { ContextEngine, RemoteStore, role, user, XmlRenderer } from '@parley/context';
import { convertToModelMessages, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
import { model } from './model.js';

const server = process.env.PARLEY_URL ?? 'http://127.0.0.1:4000';
const store = new RemoteStore({ url: new URL('/graphql', server).href });
const chatId = process.argv[2] ?? 'agent';
const renderer = new XmlRenderer();

const tools = {
  weather: tool({
    description: 'What the weather is like in a city',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => ({ city, sky: 'clear', celsius: 21 }),
  }),
};

/** Answers a question on the branch that is active now: another client may have rewound or edited meanwhile. */
async function turn(question) {
  const context = new ContextEngine({ store, chatId, userId: 'local' });
  await context.set(role('You are a travel guide.'), user(question)).save();
  const { systemPrompt, messages } = await context.resolve({ renderer });
  const prompt = { model, tools, system: systemPrompt, messages: await convertToModelMessages(messages) };
  const answer = await context.stream(({ signal }) =>
    streamText({ ...prompt, stopWhen: stepCountIs(5), abortSignal: signal }).toUIMessageStream(),
  );
  for await (const chunk of answer) if (chunk.type === 'text-delta') process.stdout.write(chunk.delta);
  process.stdout.write('\n');
}

console.log(`The chat is at ${new URL(`/#/chats/${encodeURIComponent(chatId)}`, server)}. Ask something:`);
for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() !== '') await turn(line).catch((error) => console.error(String(error)));
}
