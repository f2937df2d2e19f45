/** `npm run answer -- --model NAME [--base-url URL] [...]`: arguments in, exit code out, when the signal is aborted. */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ContextError } from '@parley/context';
import { v7 as newId } from 'uuid';
import { readAnswerSecrets } from '../config.js';
import { messageOf } from '../message-of.js';
import type { AnswerModel } from './answer/answer-model.js';
import { Answerer } from './answer/answerer.js';
import { ChatFollower } from './answer/chat-follower.js';
import { echoModel } from './answer/echo-model.js';
import { endpointModel } from './answer/endpoint-model.js';
import { ParleyServer } from './answer/parley-server.js';
import { EXIT, runCommand } from './command.js';
import type { Lines } from './terminal.js';

const USAGE = `Usage: npm run answer -- --model NAME [--base-url URL] [--url URL] [--token TOKEN] [...]

Answers the questions in the chats of a running server with a model: the branch heads that are a user's message and are saved
after the start of this process. Several processes share the work; each question is answered once. SIGTERM ends it.

  --model NAME           the model; "echo" repeats the question and needs no endpoint
  --base-url URL         an endpoint with OpenAI's chat completions, such as http://127.0.0.1:11434/v1; ANSWER_API_KEY is its key
  --url URL              where GraphQL is served (http://127.0.0.1:4000/graphql by default)
  --token TOKEN          a user's token, for the chats of the user, or an admin's, for all chats (ANSWER_TOKEN by default)
  --backlog              answers older questions, too
  --titles               names untitled chats after their first answer
  --system TEXT          the system prompt
  --concurrency N        questions that are answered at a time (4 by default, 64 at most)
  --max-messages N       messages that the model is given at most, the newest (100 by default, 1000 at most)
  --max-output-tokens N  tokens of an answer at most (8192 by default)
  --idle-timeout N       seconds after which another process answers the question of one that has ended (15 by default, 10 to 3600)
  --echo-delay MS        time before each word of the model echo (20 by default)
  --help                 shows this`;

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

export interface AnswerEnvironment {
  /** Ends the command. */
  signal: AbortSignal;
  /** @default the process's own */
  environment?: NodeJS.ProcessEnv;
}

/** @returns the exit code: 0 ended by the signal, 1 the server refuses or is none of Parley's, 2 wrong usage */
export function runAnswer(
  args: readonly string[],
  terminal: Lines,
  { signal, environment }: AnswerEnvironment,
): Promise<number> {
  return runCommand(args, terminal, {
    usage: USAGE,
    read: (given) => readArguments(given, environment),
    run: (request) => answerChats(request, terminal, signal),
  });
}

/** @throws Error that says what is wrong with them */
function readArguments(args: string[], environment?: NodeJS.ProcessEnv): Request | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      model: { type: 'string' },
      'base-url': { type: 'string' },
      url: { type: 'string', default: 'http://127.0.0.1:4000/graphql' },
      token: { type: 'string' },
      backlog: { type: 'boolean', default: false },
      titles: { type: 'boolean', default: false },
      system: { type: 'string' },
      concurrency: { type: 'string', default: '4' },
      'max-messages': { type: 'string', default: '100' },
      'max-output-tokens': { type: 'string', default: '8192' },
      'idle-timeout': { type: 'string', default: '15' },
      'echo-delay': { type: 'string', default: '20' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return 'help';
  const whole = (name: keyof typeof values, low: number, high: number) => {
    const value = /^[0-9]{1,9}$/.test(String(values[name])) ? Number(values[name]) : -1;
    if (value < low || value > high) throw new Error(`--${name} must be a whole number from ${low} to ${high}`);
    return value;
  };
  const { token, apiKey } = readAnswerSecrets(environment);
  const wordDelayMs = whole('echo-delay', 0, 60_000);
  const maxOutputTokens = whole('max-output-tokens', 1, 10_000_000);
  return {
    url: values.url,
    token: values.token ?? token,
    model:
      values.model === 'echo'
        ? echoModel(wordDelayMs)
        : endpointModel({ ...readEndpoint(values), apiKey, system: values.system, maxOutputTokens }),
    concurrency: whole('concurrency', 1, 64),
    maxMessages: whole('max-messages', 1, 1_000),
    idleTimeout: whole('idle-timeout', 10, 3_600),
    hasBacklog: values.backlog,
    hasTitles: values.titles,
  };
}

function readEndpoint(values: { model?: string | undefined; 'base-url'?: string | undefined }) {
  const { model, 'base-url': baseURL } = values;
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
