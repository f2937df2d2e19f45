import { useChats } from '@parley/client/react';
import { Download, GitFork, Plus } from 'lucide-react';
import { useEffect, useState, type ComponentType, type ReactNode } from 'react';
import { useNewChat } from '../chats/chat-list.js';
import { useKept } from '../chats/deletion.js';
import { Button } from '../design/button.js';
import { linkTo } from '../place.js';
import { ChooseButtons, OTHER_PRODUCTS } from '../transfer/choose-buttons.js';
import { BranchCard } from './branch-card.js';
import { Cards } from './cards.js';
import './home.css';

const RECENT = 6;
const DEMO_CHAT_ID = 'demo';

/** The page without a chat: imports, the demo, figures, and recent chats with pictures of their graphs. */
export default function Home(): ReactNode {
  const { chats, status } = useChats();
  const kept = useKept(chats);
  const create = useNewChat();
  const later = useLater();
  const Shown = later?.PicturedCards ?? Cards;
  const isFirst = status === 'live' && kept.length === 0;
  const hasDemo = kept.some(({ id }) => id === DEMO_CHAT_ID);
  return (
    <article className="home" data-is-first={isFirst || undefined}>
      <header>
        <h2>{isFirst ? 'Change the question. Keep both answers.' : 'Pick up a thread, or start a branch'}</h2>
        <p>Every edit and every new answer is kept.</p>
        {isFirst && (
          <Button tone="accent" icon={Plus} onClick={() => void create()}>
            Start a chat
          </Button>
        )}
      </header>
      <aside>
        <section className="panel">
          <h3>Bring your ChatGPT or Claude history</h3>
          <p>Branches, files and dates are kept. Nothing leaves this server.</p>
          <div className="drop-zone">
            <Download aria-hidden />
            <p>Drop the export here: zip, JSON or a folder</p>
            <div className="home-actions">
              <ChooseButtons />
            </div>
          </div>
          <small>Also {OTHER_PRODUCTS}</small>
        </section>
        {(isFirst || hasDemo) && (
          <BranchCard>
            {hasDemo && (
              <a className="button" href={linkTo({ chatId: DEMO_CHAT_ID })}>
                <GitFork aria-hidden />
                Open the demo
              </a>
            )}
          </BranchCard>
        )}
      </aside>
      {!isFirst && <div className="figures">{later && <later.Figures />}</div>}
      {kept.length > 0 && <Shown chats={kept.slice(0, RECENT)} />}
    </article>
  );
}

/** Milliseconds after which the figures and pictures load, so that they do not delay a chat that is opened at once. */
const LATER_MS = 1_000;

interface Later {
  Figures: ComponentType;
  PicturedCards: typeof Cards;
}

let loaded: Later | null = null;

/** The parts that load after the others; null before. */
function useLater(): Later | null {
  const [later, setLater] = useState(loaded);
  useEffect(() => {
    if (later !== null) return;
    const load = () =>
      import('./later.js').then(
        (parts) => setLater((loaded = parts)),
        // The page works without them.
        () => {},
      );
    const timer = setTimeout(() => void load(), LATER_MS);
    return () => clearTimeout(timer);
  }, [later]);
  return later;
}
