import { useChats } from '@parley/client/react';
import { GitFork, MessageSquare, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { shortTime } from '../chats/by-day.js';
import { useNewChat } from '../chats/chat-list.js';
import { chatTitle, useFirstWords } from '../chats/chat-title.js';
import { useKept } from '../chats/deletion.js';
import { Button } from '../design/button.js';
import { ReadFigures } from '../generated/operations.js';
import { linkTo } from '../place.js';
import { ChooseButtons } from '../transfer/choose-buttons.js';
import { useAnswer } from '../use-answer.js';
import { counted } from '../words.js';
import './home.css';

const RECENT = 6;
const DEMO_CHAT_ID = 'demo';
const SOURCES =
  'ChatGPT, Claude, Gemini, Grok, DeepSeek, Le Chat, Open WebUI, LibreChat, LobeChat, Claude Code, Codex, Parley, and others';

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
      <h2>Explore conversations as graphs</h2>
      <p className="hint">
        Every edit and every new answer is kept as a branch. Start a chat, import your history, or open the demo
        conversation.
      </p>
      <div className="home-actions">
        <Button tone="accent" icon={Plus} onClick={() => void create()}>
          New chat
        </Button>
        {kept.some(({ id }) => id === DEMO_CHAT_ID) && (
          <a className="button" href={linkTo({ chatId: DEMO_CHAT_ID })}>
            <GitFork aria-hidden />
            Open the demo
          </a>
        )}
      </div>
      {recent.length > 0 && (
        <section>
          <h3>Recent chats</h3>
          <ul className="cards">
            {recent.map((chat) => (
              <li key={chat.id}>
                <a href={linkTo({ chatId: chat.id })} className="panel">
                  <MessageSquare aria-hidden />
                  <b dir="auto" className="ellipsis">
                    {chatTitle(chat, first.get(chat.id))}
                  </b>
                  <time dateTime={chat.updatedAt}>{shortTime(new Date(chat.updatedAt), now)}</time>
                  <span>
                    {counted(chat.messageCount, 'message')} ·{' '}
                    {counted(chat.branchCount.totalCount, 'branch', 'branches')}
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section className="imports">
        <h3>Import your chats</h3>
        <p>Drop files or folders anywhere on this page, or choose files. Supported exports:</p>
        <ul>
          {SOURCES.split(', ').map((name) => (
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

/** Milliseconds after which the figures are read, so that they do not delay a chat that is opened at once. */
const FIGURES_AFTER_MS = 1_000;

/** Figures of the database for admins; nothing for other users, whose request the server refuses. */
function Figures(): ReactNode {
  const figures = useAnswer(ReadFigures, {}, { delayMs: FIGURES_AFTER_MS });
  if (figures === null) return null;
  return (
    <section>
      <h3>This server</h3>
      <dl className="glance">
        <div className="panel">
          <dt>Chats</dt>
          <dd>{figures.chats.totalCount.toLocaleString('en')}</dd>
        </div>
        <div className="panel">
          <dt>Users</dt>
          <dd>{figures.users.totalCount.toLocaleString('en')}</dd>
        </div>
      </dl>
      <a href={linkTo({ page: 'users' })}>Users and health</a>
    </section>
  );
}
