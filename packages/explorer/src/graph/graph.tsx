import { useThread, useParley } from '@parley/client/react';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { Missing } from '../missing.js';
import { words } from '../words.js';
import { GraphCanvas } from './graph-canvas.js';
import { findInside, labelsOf, type Insides, type Mark } from './labels.js';
import { ReadOutline, type Outline } from './outline.js';
import { sceneOf } from './scene.js';

interface GraphProps {
  chatId: string;
  /** The selected message; null for none. */
  messageId: string | null;
}

/** The graph of a chat, live. */
export default function Graph({ chatId, messageId }: GraphProps): ReactNode {
  const parley = useParley();
  const { status, error, chat, branches, checkpoints, drafts, allMessages } = useThread(chatId);
  const [outline, setOutline] = useState<Outline | null>(null);
  const isRead = chat !== null;
  const newest = allMessages.at(-1)?.seq;
  useEffect(() => {
    if (!isRead) return;
    const reading = new AbortController();
    parley.run(ReadOutline, { chatId }, reading.signal).then(
      ({ chat: found }) => setOutline(found?.outline ?? null),
      // The thread next to the graph reports the failure.
      () => {},
    );
    return () => reading.abort();
    // And once the server is back.
  }, [parley, chatId, isRead, newest, branches, status === 'away']);

  const marks = useMemo((): Mark[] => {
    const heads = branches.flatMap(({ headId, name, isActive }) =>
      headId === null ? [] : [{ messageId: headId, text: name, isActive }],
    );
    // By priority: small scales show only the first labels.
    return [
      ...heads.filter(({ isActive }) => isActive),
      ...drafts.flatMap(({ parentId, message }) =>
        parentId === null ? [] : [{ messageId: parentId, text: words.writing(message.name), isActive: false }],
      ),
      ...checkpoints.map((at) => ({ messageId: at.messageId, text: `⚑ ${at.name}`, isActive: false })),
      ...heads.filter(({ isActive }) => !isActive),
    ];
  }, [branches, checkpoints, drafts]);
  const activeId = branches.find(({ isActive }) => isActive)?.headId ?? null;
  const plain = useMemo(() => outline && sceneOf(outline.segments, activeId), [outline, activeId]);
  const [insides, setInsides] = useState<Insides>(new Map());
  const toFind = useMemo(() => {
    const ids = [...(messageId === null ? [] : [messageId]), ...marks.map((mark) => mark.messageId)];
    return plain === null ? [] : [...new Set(ids)].filter((id) => !plain.byId.has(id));
  }, [plain, marks, messageId]);
  useEffect(() => {
    if (plain === null || toFind.length === 0) return;
    const reading = new AbortController();
    findInside(parley, plain, toFind, reading.signal).then(setInsides, () => {});
    return () => reading.abort();
  }, [parley, plain, toFind]);
  const activeInside = activeId === null ? undefined : insides.get(activeId);
  const scene = useMemo(
    () => (outline && activeInside !== undefined ? sceneOf(outline.segments, activeId, activeInside) : plain),
    [outline, plain, activeId, activeInside],
  );
  const labels = useMemo(() => (scene ? labelsOf(scene, marks, insides) : new Map()), [scene, marks, insides]);
  if (scene === null || status === 'gone') return <Missing status={status} error={error} />;
  if (scene.segments.length === 0) return <p className="hint">{words.nothingSaid}</p>;
  const named = messageId === null ? null : (scene.byId.get(messageId) ?? insides.get(messageId) ?? null);
  return (
    <GraphCanvas chatId={chatId} title={chat?.title ?? words.untitled} scene={scene} labels={labels} named={named} />
  );
}
