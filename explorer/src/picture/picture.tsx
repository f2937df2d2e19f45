import { useThread, useParley } from '@parley/client/react';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { words } from '../words.js';
import { Canvas } from './canvas.js';
import type { Labels } from './draw.js';
import { ReadOutline, type Outline } from './outline.js';
import { sceneOf } from './scene.js';

/** The picture of a chat, which moves as it happens. */
export default function Picture({ chatId }: { chatId: string }): ReactNode {
  const parley = useParley();
  const { chat, branches, checkpoints, allMessages } = useThread(chatId);
  const [outline, setOutline] = useState<Outline | null>(null);
  const isRead = chat !== null;
  const newest = allMessages.at(-1)?.seq;
  useEffect(() => {
    if (!isRead) return;
    const reading = new AbortController();
    parley.run(ReadOutline, { chatId }, reading.signal).then(
      ({ chat: found }) => setOutline(found?.outline ?? null),
      // Whatever it is, the thread beside it says so.
      () => {},
    );
    return () => reading.abort();
  }, [parley, chatId, isRead, newest, branches]);

  const activeId = branches.find(({ isActive }) => isActive)?.headId ?? null;
  const scene = useMemo(() => outline && sceneOf(outline.segments, activeId), [outline, activeId]);
  const labels = useMemo((): Labels => {
    const marks = new Map<string, { text: string; isActive: boolean }[]>();
    const mark = (id: string, text: string, isActive: boolean) =>
      marks.set(id, [...(marks.get(id) ?? []), { text, isActive }]);
    for (const { headId, name, isActive } of branches) if (headId !== null) mark(headId, name, isActive);
    for (const { messageId, name } of checkpoints) mark(messageId, `⚑ ${name}`, false);
    return marks;
  }, [branches, checkpoints]);
  if (scene === null) return <p className="hint">{words.loading}</p>;
  return <Canvas chatId={chatId} title={chat?.title ?? words.untitled} scene={scene} labels={labels} />;
}
