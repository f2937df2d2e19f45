import { Pause, Play, RotateCcw } from 'lucide-react';
import { useEffect, useRef, useState, type CSSProperties, type ReactNode } from 'react';
import { readStored, writeStored } from '../browser/stored.js';
import { IconButton } from '../design/button.js';
import '../miniature/miniature.css';
import './branch-card.css';

const PLAYED_KEY = 'parley-branch-played';
const ANSWER = 'Move the hunt indoors: hide the clues in books, under cups and in coats.'.split(' ');

/** The seconds after which a part appears. */
const at = (seconds: number) => ({ '--at': `${seconds}s` }) as CSSProperties;

/** Shows how a branch begins: plays once in each browser while it is visible, then waits. */
export function BranchCard({ children }: { children: ReactNode }): ReactNode {
  const [state, setState] = useState<'playing' | 'paused' | 'ended'>(() =>
    readStored(PLAYED_KEY) === true ? 'ended' : 'playing',
  );
  const [run, setRun] = useState(0);
  const card = useRef<HTMLElement>(null);
  const isVisible = useIsVisible(card);
  const end = () => {
    setState('ended');
    writeStored(PLAYED_KEY, true);
  };
  const replay = () => {
    setState('playing');
    setRun(run + 1);
  };
  return (
    <section ref={card} className="panel branch-card" data-state={state === 'playing' && !isVisible ? 'paused' : state}>
      <h3>How a branch begins</h3>
      <div key={run} className="stage" role="img" aria-label="A second answer beside the first one, in a branch">
        <div>
          <p className="question">Plan a party for ten children</p>
          <p>A treasure hunt with six clues, and cake at four.</p>
          <p className="question" style={at(2)}>
            And if it <mark>rains all day</mark>?
          </p>
          <p className="version" style={at(3)} data-lane="2">
            2 of 2 <span className="branch-name">rains all day</span>
          </p>
          <p>
            {ANSWER.map((word, n) => (
              <span key={n} style={at(4.5 + n / 4)}>
                {word}{' '}
              </span>
            ))}
          </p>
        </div>
        <svg width="60" height="210" aria-hidden>
          <g data-lane="1">
            <path d="M14 14V172" />
            <circle cx="14" cy="14" r="5.5" />
            <circle cx="14" cy="59" r="6" className="answer" />
            <circle cx="14" cy="104" r="5.5" />
            <circle cx="14" cy="172" r="6" className="answer" />
          </g>
          <g data-lane="2">
            <path d="M14 59C14 84 44 74 44 100V172" pathLength="1" className="drawn" />
            <circle cx="44" cy="104" r="5.5" style={at(2.5)} />
            <circle cx="44" cy="172" r="6" className="answer" style={at(4)} />
          </g>
        </svg>
      </div>
      <p>
        <b>You edit a question.</b> The first answer stays where it was.
      </p>
      <div className="branch-card-controls">
        {state === 'playing' && <IconButton label="Pause" icon={Pause} onClick={() => setState('paused')} />}
        {state === 'paused' && <IconButton label="Play" icon={Play} onClick={() => setState('playing')} />}
        {state === 'ended' && <IconButton label="Replay" icon={RotateCcw} onClick={replay} />}
        <span key={run} className="played" onAnimationEnd={end} />
        {children}
      </div>
    </section>
  );
}

/** Whether the window shows an element. */
function useIsVisible(element: { readonly current: Element | null }): boolean {
  const [isVisible, setIsVisible] = useState(false);
  useEffect(() => {
    let isInView = false;
    const update = () => setIsVisible(isInView && !document.hidden);
    const observer = new IntersectionObserver((entries) => {
      isInView = entries.at(-1)?.isIntersecting === true;
      update();
    });
    if (element.current !== null) observer.observe(element.current);
    document.addEventListener('visibilitychange', update);
    return () => {
      observer.disconnect();
      document.removeEventListener('visibilitychange', update);
    };
  }, [element]);
  return isVisible;
}
