/** `parley answer`: runs until it is stopped; exits with 1 when the server refuses, or is not a Parley server. */
import { setTimeout as pause } from 'node:timers/promises';
import { ContextError } from '@parley/context';
import { v7 as newId } from 'uuid';
import { readAnswerSecrets } from '../../config.js';
import { messageOf } from '../../system/message-of.js';
import type { AnswerModel } from '../answer/answer-model.js';
import { Answerer } from '../answer/answerer.js';
import { ChatFollower } from '../answer/chat-follower.js';
import { echoModel } from '../answer/echo-model.js';
import { endpointModel } from '../answer/endpoint-model.js';
import { ParleyServer } from '../answer/parley-server.js';
import { EXIT, type CommandContext, type CommandDefinition } from '../../command/command.js';
import type { Lines } from '../../command/terminal.js';

const DESCRIPTION =
  'Answers the questions in the chats of a running server with a model: branch heads that are messages of a user and are ' +
  'saved after this process starts. Several processes share the work; each question is answered once. SIGTERM ends it.';

/** How long answers may take to end after the signal. */
const GRACE_MS = 10_000;
/** Looks at a watched question within its idle timeout. */
const LOOKS_PER_IDLE_TIMEOUT = 3;

interface Request {
  url: string;
  token: string | undefined;
  model: AnswerModel;
  concurrency: number;
  maxMessages: number;
  idleTimeout: number;
  hasBacklog: boolean;
  hasTitles: boolean;
}

interface Options {
  model?: string;
  baseUrl?: string;
  url: string;
  token?: string;
  backlog?: boolean;
  titles?: boolean;
  system?: string;
  concurrency: string;
  maxMessages: string;
  maxOutputTokens: string;
  idleTimeout: string;
  echoDelay: string;
}

export const command: CommandDefinition<Request> = {
  define: (command) =>
    command
      .description(DESCRIPTION)
      .option('--model <NAME>', 'the model; "echo" repeats the question and needs no endpoint')
      .option(
        '--base-url <URL>',
        "an endpoint with OpenAI's chat completions, such as http://127.0.0.1:11434/v1; ANSWER_API_KEY is its key",
      )
      .option('--url <URL>', 'the GraphQL endpoint of the server', 'http://127.0.0.1:4000/graphql')
      .option(
        '--token <TOKEN>',
        'the token of a user, for the chats of the user, or of an admin, for all chats (default: ANSWER_TOKEN)',
      )
      .option('--backlog', 'answer older questions, too')
      .option('--titles', 'name untitled chats after their first answer')
      .option('--system <TEXT>', 'the system prompt')
      .option('--concurrency <N>', 'questions that are answered at a time, at most 64', '4')
      .option('--max-messages <N>', 'newest messages that the model gets, at most 1000', '100')
      .option('--max-output-tokens <N>', 'maximum number of tokens of an answer', '8192')
      .option(
        '--idle-timeout <N>',
        'seconds after which another process answers the question of an ended one, 10 to 3600',
        '15',
      )
      .option('--echo-delay <MS>', 'time before each word of the model echo', '20'),
  read: readRequest,
  run: (request, { terminal, signal = stopSignal() }) => answerChats(request, terminal, signal),
};

/** Aborted by the first SIGTERM or SIGINT; the second one ends the process. */
function stopSignal(): AbortSignal {
  const ending = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => ending.abort());
  return ending.signal;
}

function readRequest(options: Options, _: string[], { environment }: CommandContext): Request {
  const { token, apiKey } = readAnswerSecrets(environment);
  const wordDelayMs = whole('--echo-delay', options.echoDelay, 0, 60_000);
  const maxOutputTokens = whole('--max-output-tokens', options.maxOutputTokens, 1, 10_000_000);
  return {
    url: options.url,
    token: options.token ?? token,
    model:
      options.model === 'echo'
        ? echoModel(wordDelayMs)
        : endpointModel({ ...readEndpoint(options), apiKey, system: options.system, maxOutputTokens }),
    concurrency: whole('--concurrency', options.concurrency, 1, 64),
    maxMessages: whole('--max-messages', options.maxMessages, 1, 1_000),
    idleTimeout: whole('--idle-timeout', options.idleTimeout, 10, 3_600),
    hasBacklog: options.backlog ?? false,
    hasTitles: options.titles ?? false,
  };
}

function whole(name: string, text: string, low: number, high: number): number {
  const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : -1;
  if (value < low || value > high) throw new Error(`${name} must be a whole number from ${low} to ${high}`);
  return value;
}

function readEndpoint({ model, baseUrl: baseURL }: Options) {
  if (model === undefined || model === '') throw new Error('--model is missing: the name of a model, or "echo"');
  if (baseURL === undefined) throw new Error('--base-url is missing: only --model echo needs no endpoint');
  if (!/^https?:\/\//.test(baseURL) || !URL.canParse(baseURL)) {
    throw new Error(`--base-url must be http:// or https://, and a host, not "${baseURL}"`);
  }
  return { model, baseURL };
}

async function answerChats(request: Request, terminal: Lines, signal: AbortSignal): Promise<number> {
  const { url, token, model, hasBacklog, idleTimeout, ...options } = request;
  const server = new ParleyServer({
    url,
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
  });
  // Ends all parts, also when one of them fails.
  const ended = new AbortController();
  const ending = AbortSignal.any([signal, ended.signal]);
  const writer = newId();
  const answerer = new Answerer({ server, model, writer, idleTimeout, ...options, terminal, signal: ending });
  const follower = new ChatFollower({ server, answerer, hasBacklog, terminal, signal: ending });
  const watching = setInterval(() => void answerer.watch(), (idleTimeout * 1000) / LOOKS_PER_IDLE_TIMEOUT);
  try {
    await follower.run((chats) => terminal.out(`Answering ${chats} of ${url} with ${model.name}.`));
  } catch (error) {
    throw new Error(`${messageOf(error)}: ${remedyFor(error)}`, { cause: error });
  } finally {
    ended.abort();
    clearInterval(watching);
  }
  await Promise.race([answerer.finished(), pause(GRACE_MS, undefined, { ref: false })]);
  const left = answerer.running;
  if (left > 0) terminal.out(`Questions left to other processes, which answer them after ${idleTimeout} s: ${left}`);
  return EXIT.done;
}

function remedyFor(error: unknown): string {
  const isRefused = error instanceof ContextError && error.code === 'UNAUTHENTICATED';
  return isRefused
    ? 'a valid token must be given with --token or ANSWER_TOKEN'
    : '--url must be the address of GraphQL on a Parley server';
}
