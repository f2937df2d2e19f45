import { useParley, useThread } from '@parley/client/react';
import { useMemo, type ReactNode } from 'react';
import { Missing } from '../missing.js';
import { linkTo, type View } from '../place.js';
import { BranchLinks } from './branch-links.js';
import { GraphCanvas } from './graph-canvas.js';
import { labelsOf, positionAtDepth, positionOf, type Depth } from './scene/labels.js';
import { marksOf, useGraph } from './use-graph.js';
import './graph.css';

interface GraphProps {
  chatId: string;
  /** The selected message; null for none. */
  messageId: string | null;
  /** The view that a click opens at a message. @default the thread */
  view?: View;
  /** The message that a thread beside the graph shows: it replaces the selected message. */
  shown?: Depth | null;
}

/** The graph of a chat, live. */
export default function Graph({ chatId, messageId, view, shown = null }: GraphProps): ReactNode {
  const parley = useParley();
  const { status, error, chat, branches, checkpoints, drafts, allMessages } = useThread(chatId);
  // A draft changes with each chunk, and its label does not.
  const draftsKey = drafts.map(({ id }) => id).join(' ');
  const marks = useMemo(() => marksOf({ branches, checkpoints, drafts }), [branches, checkpoints, draftsKey]);
  const activeId = branches.find(({ isActive }) => isActive)?.headId ?? null;
  const newest = allMessages.at(-1)?.seq;
  // And once the server is back.
  const version = useMemo(() => ({}), [newest, branches, status === 'away']);
  const ids = [...(messageId === null ? [] : [messageId]), ...marks.map((mark) => mark.messageId)];
  const graph = useGraph(parley, chatId, chat !== null, version, activeId, ids);
  const labels = useMemo(
    () => (graph ? labelsOf(graph.scene, marks, graph.insides) : new Map()),
    [graph?.scene, graph?.insides, marks],
  );
  if (graph === null || status === 'gone') return <Missing status={status} error={error} />;
  const { outline, scene, insides, toggle } = graph;
  if (scene.segments.length === 0) return <p className="hint">No messages yet.</p>;
  const named = messageId === null ? null : positionOf(scene, messageId, insides.get(messageId));
  const target = (shown && positionAtDepth(scene, shown)) ?? named;
  return (
    <>
      <BranchLinks chatId={chatId} branches={branches} view={view} />
      <GraphCanvas
        title={chat?.title ?? 'Untitled'}
        {...{ scene, labels, target }}
        messageCount={outline.messageCount}
        hasExcerpt={view !== 'split'}
        onOpen={(id) => (location.hash = linkTo({ chatId, messageId: id, ...(view && { view }) }))}
        onToggle={toggle}
      />
    </>
  );
}
