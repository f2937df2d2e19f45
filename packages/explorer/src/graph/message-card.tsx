import type { PointerEvent, ReactNode, Ref } from 'react';
import { Button } from '../design/button.js';
import { ReadExcerpt } from '../generated/operations.js';
import { useAnswer } from '../requests/use-answer.js';
import { counted } from '../words.js';
import type { Point, Size } from './scene/dimensions.js';

/** Milliseconds that the pointer must rest on a message before its card is read. */
const REST_MS = 150;
/** The size that a card needs, in pixels; the style sheet has its maximum width. */
const CARD = { width: 320, height: 220 };
/** The distance of a card's edge to the middle of its row. */
const GAP = 14;

/** The actions of a card; absent ones have no button. */
export interface CardActions {
  /** Activates the branch of the message. */
  onSwitch?: (() => void) | undefined;
  onReply?: (() => void) | undefined;
  /** The comparison of the message with the active branch. */
  compareLink?: string | undefined;
}

interface MessageCardProps extends CardActions {
  messageId: string;
  /** The branches and checkpoints at the message. */
  names: readonly string[];
  /** The position of the message on the canvas. */
  at: Point;
  screen: Size;
  onLeave(event: PointerEvent): void;
  ref: Ref<HTMLElement>;
}

/** The beginning of a message, under its row or, without room there, above it. */
export function MessageCard(props: MessageCardProps): ReactNode {
  const { messageId, names, at, screen, onSwitch, onReply, compareLink, onLeave, ref } = props;
  const read = useAnswer(ReadExcerpt, { id: messageId }, { delayMs: REST_MS })?.message;
  if (!read) return null;
  const isBelow = at.y + GAP + CARD.height <= screen.height || at.y < CARD.height;
  const left = Math.max(8, Math.min(at.x, screen.width - CARD.width - 8));
  const edge = isBelow ? { top: at.y + GAP } : { bottom: screen.height - at.y + GAP };
  return (
    <aside
      ref={ref}
      className="message-card panel popup"
      aria-label="Message"
      style={{ left, ...edge }}
      onPointerLeave={onLeave}
    >
      <p className="row">
        {names.map((name) => (
          <span key={name} className="chip" dir="auto">
            {name}
          </span>
        ))}
        <b dir="auto">{read.name}</b> <time dateTime={read.createdAt}>{new Date(read.createdAt).toLocaleString()}</time>
      </p>
      <p className="excerpt" dir="auto">
        {read.preview}
      </p>
      {read.sources.length > 0 && (
        <>
          <small>{`draws on ${counted(read.sources.length, 'message')}`}</small>
          <ul>
            {read.sources.map(({ id, preview }) => (
              <li key={id} dir="auto">
                {preview}
              </li>
            ))}
          </ul>
        </>
      )}
      <p className="row">
        {onSwitch && (
          <Button tone="accent" onClick={onSwitch}>
            Switch
          </Button>
        )}
        {onReply && <Button onClick={onReply}>Reply</Button>}
        {compareLink !== undefined && (
          <a className="button" href={compareLink}>
            Compare
          </a>
        )}
      </p>
    </aside>
  );
}
