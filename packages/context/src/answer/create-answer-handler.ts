/**
 * `@parley/context/answer`: the server side of a chat application. A process of yours writes the answers, and pages follow them;
 * docs/context/answer-handler.md has the protocol.
 */
import { orNull } from '../errors.js';
import { checkFilesOptions } from '../files/model-files.js';
import { readBody } from './answer-body.js';
import { errorResponse, RefusedRequest } from './answer-error.js';
import { answerAgain, answerMessage } from './answer-question.js';
import type { AnswerContext, AnswerHandlerOptions, PerRequest } from './answer-options.js';
import { answerSource } from './ask-model.js';
import { continueTurn } from './continue-turn.js';
import { followAnswer } from './follow-answer.js';
import { endAbandoned, requireId, stopOpenDraft } from './open-drafts.js';
import type { AskSource } from './write-answer.js';
import type { DraftData } from '../store/draft-data.js';

/**
 * A handler of web requests of useChat, or of any page with the same protocol: POST sends a message, an edit, a tool
 * output or an approval, or requests another answer; GET resumes; DELETE stops.
 * @throws ContextError INVALID_INPUT when neither model nor stream is given, and for a wrong option of `files`
 */
export function createAnswerHandler(options: AnswerHandlerOptions): (request: Request) => Promise<Response> {
  const ask = answerSource(options);
  checkFilesOptions(options.files);
  return async (request) => {
    try {
      return await route(request, options, ask);
    } catch (error) {
      return errorResponse(error, options);
    }
  };
}

async function route(request: Request, options: AnswerHandlerOptions, ask: AskSource): Promise<Response> {
  switch (request.method) {
    case 'POST':
      return post(request, options, ask);
    case 'GET':
      return resume(await open(request, options, undefined));
    case 'DELETE':
      return stop(await open(request, options, undefined));
    default:
      throw new RefusedRequest(405, 'METHOD_NOT_ALLOWED', 'The method must be POST, GET or DELETE', {
        allow: 'POST, GET, DELETE',
      });
  }
}

async function post(request: Request, options: AnswerHandlerOptions, ask: AskSource): Promise<Response> {
  const body = await readBody(request, options);
  const context = await open(request, options, body.id);
  if (body.isRegeneration) return answerAgain(context, ask, body);
  return body.last.role === 'assistant' ? continueTurn(context, ask, body.last) : answerMessage(context, ask, body);
}

/** The newest open answer below the shown leaf, from its beginning; 204 when there is none. */
async function resume(context: AnswerContext): Promise<Response> {
  const none = () => new Response(null, { status: 204 });
  const newest = (await draftsBelowLeaf(context)).at(-1);
  if (newest === undefined) return none();
  const { id, length } = newest;
  return (await endAbandoned(context, newest)) ? followAnswer(context, { id, length }) : none();
}

async function stop(context: AnswerContext): Promise<Response> {
  await Promise.all((await draftsBelowLeaf(context)).map((draft) => stopOpenDraft(context, draft)));
  return new Response(null, { status: 204 });
}

/** Oldest first. A leaf is a page's own view: other pages may have saved messages between it and a draft. */
async function draftsBelowLeaf({ request, store, chatId }: AnswerContext): Promise<DraftData[]> {
  const shown = new URL(request.url).searchParams.get('leafId');
  const [drafts, branch] = await Promise.all([
    orNull(store.listDrafts(chatId)),
    shown === null ? orNull(store.getActiveBranch(chatId)) : null,
  ]);
  const leaf = shown ?? branch?.headMessageId ?? null;
  const isBelow = async ({ parentId }: DraftData) => {
    if (parentId === null || parentId === leaf || leaf === null) return parentId === leaf;
    const path = await orNull(store.getMessageChain(parentId));
    return path?.some(({ id }) => id === leaf) === true;
  };
  const areBelow = await Promise.all((drafts ?? []).map(isBelow));
  return (drafts ?? []).filter((_, index) => areBelow[index]);
}

/** @param bodyId the id of the chat, if the body contains it */
async function open(
  request: Request,
  options: AnswerHandlerOptions,
  bodyId: string | undefined,
): Promise<AnswerContext> {
  const chatId = requireId(
    options.chatId === undefined ? (bodyId ?? idOfAddress(request)) : await options.chatId(request),
  );
  const store = await ofRequest(options.store, request);
  const userId = await ofRequest(options.userId ?? 'local', request);
  return { request, store, userId, chatId, options };
}

function ofRequest<T>(given: PerRequest<T>, request: Request): T | Promise<T> {
  return typeof given === 'function' ? (given as (request: Request) => T | Promise<T>)(request) : given;
}

/** `?chatId=ID`, or `…/ID/stream` of the AI SDK's transport. */
function idOfAddress({ url }: Request): string | null {
  const { pathname, searchParams } = new URL(url);
  const [, id] = /\/([^/]+)\/stream\/?$/.exec(pathname) ?? [];
  return searchParams.get('chatId') ?? (id === undefined ? null : decodeURIComponent(id));
}
