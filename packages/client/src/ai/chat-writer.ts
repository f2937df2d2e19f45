/** Selects the writer of a chat's answers: the route of the application, or this page. */
import type { UIMessage } from 'ai';
import type { Parley } from '../connection/create-parley.js';
import { AnswerRoute } from './answer-route.js';
import { PageAnswers } from './page-answers.js';
import type { ParleyChatOptions } from './parley-chat-options.js';

export class ChatWriter<Message extends UIMessage> {
  /** Keeps answers of this page that wait for a tool output. */
  readonly #page: PageAnswers<Message>;

  constructor(
    parley: Parley,
    private readonly options: () => ParleyChatOptions<Message>,
  ) {
    this.#page = new PageAnswers({
      parley,
      answer: {
        sendMessages: (request) => {
          // `choose` selects the page only with this option.
          const answer = options().answer as NonNullable<ParleyChatOptions<Message>['answer']>;
          return typeof answer === 'function' ? answer(request) : answer.sendMessages(request);
        },
      },
    });
  }

  choose(): AnswerRoute<Message> | PageAnswers<Message> {
    const { answer, api = '/api/chat', headers = {}, credentials = 'same-origin', fetch } = this.options();
    if (answer !== undefined) return this.#page;
    return new AnswerRoute({
      api,
      headers,
      fetch: (url, init) => (fetch ?? globalThis.fetch)(url, { ...init, credentials }),
    });
  }
}
