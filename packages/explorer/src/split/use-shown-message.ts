import { useEffect, useRef, useState, type RefObject } from 'react';
import { linkTo } from '../place.js';

const PREFIX = 'message-';

/**
 * The message that a scrolled thread shows. The message of the URL is kept while it is visible; the URL loses it when it
 * is scrolled away, so that the graph can open it again.
 * @returns the id of the message, null before one is visible; and whether the thread is readable
 */
export function useShownMessage(
  pane: RefObject<HTMLElement | null>,
  chatId: string,
  messageId: string | null,
): { shownId: string | null; isReadable: boolean } {
  const [shownId, setShownId] = useState<string | null>(messageId);
  const [isReadable, setIsReadable] = useState(false);
  const openId = useRef(messageId);
  /** Whether the message of the URL was visible: a thread opens at it later than the URL names it. */
  const wasSeen = useRef(false);
  useEffect(() => {
    openId.current = messageId;
    wasSeen.current = false;
    if (messageId !== null) setShownId(messageId);
  }, [messageId]);
  useEffect(() => {
    const { current } = pane;
    if (current === null) return;
    let frame = 0;
    const read = () => {
      frame = 0;
      const seen = seenIn(current);
      if (seen === null) return;
      setIsReadable(true);
      const open = openId.current;
      if (open !== null && seen.ids.includes(open)) {
        wasSeen.current = true;
        return setShownId(open);
      }
      if (open !== null && !wasSeen.current) return;
      if (open !== null) {
        openId.current = null;
        history.replaceState(null, '', linkTo({ chatId, view: 'split' }));
        // The browser does not notify of this change.
        dispatchEvent(new HashChangeEvent('hashchange'));
      }
      setShownId(seen.id);
    };
    const request = () => (frame ||= requestAnimationFrame(read));
    current.addEventListener('scroll', request, { capture: true, passive: true });
    // The first messages, which the list hides until it has scrolled to them, and messages that arrive.
    const arrived = new MutationObserver(request);
    arrived.observe(current, { childList: true, subtree: true, attributeFilter: ['style'] });
    return () => {
      cancelAnimationFrame(frame);
      arrived.disconnect();
      current.removeEventListener('scroll', request, { capture: true });
    };
  }, [pane, chatId]);
  return { shownId, isReadable };
}

/** The visible messages, and the one at the relative position of the scrollbar; null before messages are visible. */
function seenIn(pane: HTMLElement): { id: string; ids: string[] } | null {
  const items = [...pane.querySelectorAll<HTMLElement>(`li[id^="${PREFIX}"]`)];
  const scroller = items[0]?.closest<HTMLElement>('[data-virtuoso-scroller]');
  if (!scroller || !items[0]?.checkVisibility({ visibilityProperty: true })) return null;
  const { top, bottom } = scroller.getBoundingClientRect();
  const visible = items
    .map((item) => ({ id: item.id.slice(PREFIX.length), rect: item.getBoundingClientRect() }))
    .filter(({ rect }) => rect.bottom > top && rect.top < bottom);
  const room = scroller.scrollHeight - scroller.clientHeight;
  const line = top + (bottom - top) * (room <= 0 ? 1 : scroller.scrollTop / room);
  const at = visible.findLast(({ rect }) => rect.top <= line) ?? visible[0];
  return at === undefined ? null : { id: at.id, ids: visible.map(({ id }) => id) };
}
