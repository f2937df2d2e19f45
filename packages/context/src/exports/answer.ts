/** `@parley/context/answer`: the server side of a chat application. */
export { createAnswerHandler } from '../answer/create-answer-handler.js';
export type { AnswerCall, AnswerHandlerOptions, PerRequest } from '../answer/answer-options.js';
export { toNodeHandler, type NodeRequest, type NodeResponse } from '../answer/node-handler.js';
