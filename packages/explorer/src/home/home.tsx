import { operation } from '@parley/client';
import { useChats } from '@parley/client/react';
import { GitFork, MessageSquare, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { shortTime } from '../chats/by-day.js';
import { useNewChat } from '../chats/chat-list.js';
import { chatTitle, useFirstWords } from '../chats/chat-title.js';
import { useKept } from '../chats/deletion.js';
import { listWords } from '../chats/list-words.js';
import { Button } from '../design/button.js';
import { linkTo } from '../place.js';
import { ChooseButtons } from '../transfer/choose-buttons.js';
import { useAnswer } from '../use-answer.js';
import { words } from '../words.js';
import './home.css';

const RECENT = 6;
const DEMO_CHAT_ID = 'demo';

/** The page without a chat: recent chats, imports, the demo, and figures for admins. */
export default function Home(): ReactNode {
  const { chats } = useChats();
  const kept = useKept(chats);
  const recent = kept.slice(0, RECENT);
  const first = useFirstWords(recent);
  const create = useNewChat();
  const now = new Date();
  return (
    <article className="home">
      <h2>{listWords.startTitle}</h2>
      <p className="hint">{listWords.startText}</p>
      <div className="home-actions">
        <Button tone="accent" icon={Plus} onClick={() => void create()}>
          {words.newChat}
        </Button>
        {kept.some(({ id }) => id === DEMO_CHAT_ID) && (
          <a className="button" href={linkTo({ chatId: DEMO_CHAT_ID })}>
            <GitFork aria-hidden />
            {listWords.openDemo}
          </a>
        )}
      </div>
      {recent.length > 0 && (
        <section>
          <h3>{listWords.recent}</h3>
          <ul className="cards">
            {recent.map((chat) => (
              <li key={chat.id}>
                <a href={linkTo({ chatId: chat.id })}>
                  <MessageSquare aria-hidden />
                  <b dir="auto">{chatTitle(chat, first.get(chat.id))}</b>
                  <time dateTime={chat.updatedAt}>{shortTime(new Date(chat.updatedAt), now)}</time>
                  <span>
                    {words.messages(chat.messageCount)} · {listWords.branches(chat.branchCount.totalCount)}
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section className="imports">
        <h3>{listWords.importTitle}</h3>
        <p>{listWords.importText}</p>
        <ul>
          {[...listWords.sources, listWords.andMore].map((name) => (
            <li key={name} className="chip">
              {name}
            </li>
          ))}
        </ul>
        <div className="home-actions">
          <ChooseButtons />
        </div>
      </section>
      <Figures />
    </article>
  );
}

const ReadFigures = operation<{ chats: { totalCount: number }; users: { totalCount: number } }, Record<string, never>>(
  'query ReadFigures { chats(first: 1) { totalCount } users(first: 1) { totalCount } }',
);

/** Milliseconds after which the figures are read, so that they do not delay a chat that is opened at once. */
const FIGURES_AFTER_MS = 1_000;

/** Figures of the database for admins; nothing for other users, whose request the server refuses. */
function Figures(): ReactNode {
  const figures = useAnswer(ReadFigures, {}, { delayMs: FIGURES_AFTER_MS });
  if (figures === null) return null;
  return (
    <section>
      <h3>{listWords.figures}</h3>
      <dl className="glance">
        <div>
          <dt>{listWords.allChats}</dt>
          <dd>{figures.chats.totalCount.toLocaleString('en')}</dd>
        </div>
        <div>
          <dt>{listWords.allUsers}</dt>
          <dd>{figures.users.totalCount.toLocaleString('en')}</dd>
        </div>
      </dl>
      <a href={linkTo({ page: 'users' })}>{listWords.seeUsers}</a>
    </section>
  );
}
