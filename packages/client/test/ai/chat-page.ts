/** A page with useParleyChat, and a model that a test controls. */
import { RemoteStore } from '@parley/context';
import type { AnswerHandlerOptions } from '@parley/context/answer';
import type { UIMessage, UIMessageChunk } from 'ai';
import { createElement as h, type ReactNode } from 'react';
import { expect, onTestFinished } from 'vitest';
import { serve } from '../../../context/test/chat-pages.js';
import {
  useParleyChat,
  type ParleyChatOptions,
  type SendMessages,
  type UseParleyChat,
} from '../../src/ai/use-parley-chat.js';
import { ParleyProvider } from '../../src/react/react.js';
import type { ThreadOptions } from '../../src/client.js';
import type { Tab } from '../open-parley.js';
import { render } from '../react/react-renderer.js';

/** A model whose chunks a test controls. */
export function openModel() {
  let controller: ReadableStreamDefaultController<UIMessageChunk> | undefined;
  const asked: string[][] = [];
  let ended = 0;
  const chunks = (...pieces: UIMessageChunk[]) => pieces.forEach((piece) => controller?.enqueue(piece));
  const finish = () => {
    ended++;
    chunks({ type: 'finish' });
    controller?.close();
  };
  const answer: SendMessages<UIMessage> = async ({ messages }) => {
    asked.push(messages.map(textOf));
    return new ReadableStream<UIMessageChunk>({ start: (given) => void (controller = given) });
  };
  const begin = () => chunks({ type: 'start' }, { type: 'text-start', id: '0' });
  const words = (delta: string) => chunks({ type: 'text-delta', id: '0', delta });
  const end = () => {
    chunks({ type: 'text-end', id: '0' });
    finish();
  };
  return {
    answer,
    asked,
    begin,
    chunks,
    words,
    finish,
    end,
    /** Answers the next request, when all earlier ones were answered. */
    async answers(text: string) {
      await expect.poll(() => asked.length).toBe(ended + 1);
      begin();
      words(text);
      end();
    },
    fail(error: Error) {
      ended++;
      controller?.error(error);
    },
  };
}

/** A route that answers with a model. */
export function serveModel(
  { url }: { url: string },
  model: ReturnType<typeof openModel>,
  options: Partial<AnswerHandlerOptions> = {},
): Promise<string> {
  const stream: AnswerHandlerOptions['stream'] = async function* (given) {
    yield* await model.answer(given as never);
  };
  return serve({ store: new RemoteStore({ url }), stream, ...options });
}

export const textOf = ({ parts }: UIMessage) => parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** A page that shows a chat and records all of its renders. */
export function openPage(
  tab: Tab,
  options: ParleyChatOptions,
  chatId = 'c',
  wrap = (node: ReactNode) => node,
  thread: ThreadOptions = {},
) {
  let chat: UseParleyChat | undefined;
  const renders: UseParleyChat[] = [];
  function Chat({ id }: { id: string }): ReactNode {
    chat = useParleyChat(id, options);
    renders.push(chat);
    return chat.messages.map(textOf).join(' | ');
  }
  const app = (id: string) =>
    wrap(h(ParleyProvider, { parley: tab.parley, thread: { create: true, ...thread } }, h(Chat, { id })));
  const view = render(app(chatId));
  onTestFinished(() => expect(view.errors).toEqual([]));
  return {
    view,
    renders,
    open: (id: string) => view.render(app(id)),
    get chat(): UseParleyChat {
      return chat!;
    },
    shows: (text: string, status = 'ready') => expect.poll(() => [view.text(), chat?.status]).toEqual([text, status]),
    isLive: () => expect.poll(() => chat?.store.getState().status).toBe('live'),
  };
}
