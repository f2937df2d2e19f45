import type { ChatItem } from '@parley/client';
import { forwardRef, useState, type HTMLAttributes, type ReactNode } from 'react';
import { Virtuoso } from 'react-virtuoso';

const List = forwardRef<HTMLUListElement, HTMLAttributes<HTMLUListElement>>(function List(props, ref) {
  return <ul {...props} ref={ref} />;
});

function Item({ item: _, ...props }: HTMLAttributes<HTMLLIElement> & { item: ChatItem }): ReactNode {
  return <li {...props} className="chat-row row" />;
}

const COMPONENTS = { List, Item };

interface LongRowsProps {
  chats: readonly ChatItem[];
  row(chat: ChatItem): ReactNode;
}

/** The rows of a group: only the visible ones are rendered. */
export default function LongRows({ chats, row }: LongRowsProps): ReactNode {
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  return (
    <div ref={(element) => setScroller(element?.closest<HTMLElement>('.chat-groups') ?? null)}>
      {scroller !== null && (
        <Virtuoso<ChatItem>
          data={chats}
          computeItemKey={(_, { id }) => id}
          customScrollParent={scroller}
          increaseViewportBy={400}
          components={COMPONENTS}
          itemContent={(_, chat) => row(chat)}
        />
      )}
    </div>
  );
}
