import { useParley, useThread } from '@parley/client/react';
import { useMemo, type ReactNode } from 'react';
import { useLabeled } from '../branch-labels/use-branch-labels.js';
import { notify } from '../design/toast.js';
import { focusOnceShown } from '../browser/focus-once-shown.js';
import { Missing } from '../missing.js';
import { linkTo, type View } from '../place.js';
import { useRights } from '../role.js';
import { useSwitchBranch } from '../switch-branch.js';
import { act } from '../act.js';
import { counted } from '../words.js';
import { BranchLinks } from './branch-links.js';
import { GraphCanvas } from './graph-canvas.js';
import type { CardActions } from './message-card.js';
import { labelsOf, positionAtDepth, positionOf, textsOf, type Depth } from './scene/labels.js';
import type { Position, Scene } from './scene/scene.js';
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
  const { store, status, error, chat, branches: unlabeled, checkpoints, drafts, allMessages } = useThread(chatId);
  const branches = useLabeled(unlabeled);
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
  const texts = useMemo(
    () => (graph ? textsOf(graph.scene, allMessages) : new Map()),
    [graph?.scene, newest, allMessages.length],
  );
  const may = useRights(chatId);
  const onRefused = (text: string) => notify({ text, isUrgent: true });
  const switchTo = useSwitchBranch(store, onRefused);
  if (graph === null || status === 'gone') return <Missing status={status} error={error} />;
  const { outline, scene, insides, toggle } = graph;
  if (scene.segments.length === 0) return <p className="hint">No messages yet.</p>;
  const named = messageId === null ? null : positionOf(scene, messageId, insides.get(messageId));
  const target = (shown && positionAtDepth(scene, shown)) ?? named;
  const head = activeId === null ? null : positionOf(scene, activeId, insides.get(activeId));
  const open = (id: string) => (location.hash = linkTo({ chatId, messageId: id, ...(view && { view }) }));
  const actionsOf = ({ n }: Position, id: string): CardActions => {
    const branch = branchThrough(scene, n, id);
    return {
      onSwitch: branch && (() => switchTo(branch)),
      onReply: may('WRITER')
        ? () => {
            void act(store.rewind(id), onRefused);
            open(id);
            focusOnceShown('.thread textarea');
          }
        : undefined,
      compareLink:
        scene.isActive[n] === 1 || activeId === null
          ? undefined
          : linkTo({ chatId, view: 'compare', messageId: activeId, otherId: id }),
    };
  };
  /** A branch to switch to at a message: one that ends there, or else one that leads through it, if the active one does not. */
  const branchThrough = (scene: Scene, n: number, id: string) => {
    const others = branches.filter(({ isActive, headId }) => !isActive && headId !== null);
    const leadsThrough = (headId: string) => {
      let at = positionOf(scene, headId, insides.get(headId))?.n ?? -1;
      while (at > n) at = scene.parents[at] ?? -1;
      return at === n;
    };
    return (
      others.find(({ headId }) => headId === id) ??
      (scene.isActive[n] === 1 ? undefined : others.find(({ headId }) => leadsThrough(headId ?? '')))
    );
  };
  return (
    <>
      <BranchLinks chatId={chatId} branches={branches} view={view} />
      <GraphCanvas
        title={chat?.title ?? 'Untitled'}
        summary={`${counted(outline.messageCount, 'message')}, ${counted(branches.length, 'branch', 'branches')}`}
        {...{ scene, labels, texts, target, head, actionsOf }}
        onOpen={open}
        onEnter={() => focusOnceShown('.thread')}
        onToggle={toggle}
      />
    </>
  );
}
