/** The command: it parses the arguments, and answers chats until it is stopped. */
import { setTimeout as pause } from 'node:timers/promises';
import { ContextError } from '@parley/context';
import { Command, CommanderError } from 'commander';
import { v7 as newId } from 'uuid';
import { Answerer } from './answerer.js';
import { ChatFollower } from './chat-follower.js';
import { echoModel } from './echo-model.js';
import { endpointModel } from './endpoint-model.js';
import type { AnswerModel } from './model.js';
import { messageOf, type Output } from './output.js';
import { ParleyServer } from './parley-server.js';
import { readSecret } from './secret.js';

const DESCRIPTION =
  'Answers the questions in the chats of a running server with a model: branch heads that are messages of a user and are ' +
  'saved after this process starts. Several processes share the work; each question is answered once. SIGTERM ends it.';

/** How long answers may take to end after the signal. */
const GRACE_MS = 10_000;
/** Looks at a watched question within its idle timeout. */
const LOOKS_PER_IDLE_TIMEOUT = 3;
const EXIT = { done: 0, failed: 1, wrongUsage: 2 } as const;

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

/**
 * @param environment has ANSWER_TOKEN and ANSWER_API_KEY
 * @param signal ends the command; by default, SIGTERM and SIGINT do
 * @returns the exit code: 1 when the server refuses, or is not a Parley server; 2 for wrong arguments
 */
export async function runAnswer(
  args: readonly string[],
  output: Output,
  environment: NodeJS.ProcessEnv = process.env,
  signal?: AbortSignal,
): Promise<number> {
  const program = commandOf(output);
  let request;
  try {
    program.parse(args, { from: 'user' });
    request = readRequest(program.opts<Options>(), environment);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === EXIT.done) return EXIT.done;
    output.error(`${usageFault(error)}\n\n${program.helpInformation().trimEnd()}`);
    return EXIT.wrongUsage;
  }
  try {
    await answerChats(request, output, signal ?? stopSignal());
    return EXIT.done;
  } catch (error) {
    output.error(messageOf(error));
    return EXIT.failed;
  }
}

function commandOf(output: Output): Command {
  return new Command('npm run answer --')
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
    .option('--echo-delay <MS>', 'time before each word of the model echo', '20')
    .helpOption('-h, --help', 'show this')
    .exitOverride()
    .configureOutput({ writeOut: (text) => output.out(text.trimEnd()), writeErr: () => {} });
}

/** An unknown option may be a URL with a password: the message repeats its name alone. */
function usageFault(error: unknown): string {
  const message = messageOf(error);
  if (!(error instanceof CommanderError) || error.code !== 'commander.unknownOption') return message;
  return message.replace(/'(--?[a-z-]*)[^]*'/i, "'$1'");
}

/** Aborted by the first SIGTERM or SIGINT; the second one ends the process. */
function stopSignal(): AbortSignal {
  const ending = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => ending.abort());
  return ending.signal;
}

function readRequest(options: Options, environment: NodeJS.ProcessEnv): Request {
  const [token, apiKey] = ['ANSWER_TOKEN', 'ANSWER_API_KEY'].map((name) => readSecret(environment, name));
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

async function answerChats(request: Request, output: Output, signal: AbortSignal): Promise<void> {
  const { url, token, model, hasBacklog, idleTimeout, ...options } = request;
  const server = new ParleyServer({
    url,
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
  });
  // Ends all parts, also when one of them fails.
  const ended = new AbortController();
  const ending = AbortSignal.any([signal, ended.signal]);
  const answerer = new Answerer({ server, model, writer: newId(), idleTimeout, ...options, output, signal: ending });
  const follower = new ChatFollower({ server, answerer, hasBacklog, output, signal: ending });
  const watching = setInterval(() => void answerer.watch(), (idleTimeout * 1000) / LOOKS_PER_IDLE_TIMEOUT);
  try {
    await follower.run((chats) => output.out(`Answering ${chats} of ${url} with ${model.name}.`));
  } catch (error) {
    throw new Error(`${messageOf(error)}: ${remedyFor(error)}`, { cause: error });
  } finally {
    ended.abort();
    clearInterval(watching);
  }
  await Promise.race([answerer.finished(), pause(GRACE_MS, undefined, { ref: false })]);
  const left = answerer.running;
  if (left > 0) output.out(`Questions left to other processes, which answer them after ${idleTimeout} s: ${left}`);
}

function remedyFor(error: unknown): string {
  const isRefused = error instanceof ContextError && error.code === 'UNAUTHENTICATED';
  return isRefused
    ? 'a valid token must be given with --token or ANSWER_TOKEN'
    : '--url must be the address of GraphQL on a Parley server';
}
