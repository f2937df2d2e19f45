import type { Branch } from '@parley/client';
import { useParley } from '@parley/client/react';
import { useMemo } from 'react';
import { SharedValue } from '../browser/shared-value.js';
import { ReadForks } from '../generated/operations.js';
import { useRead } from '../requests/use-read.js';
import { hasAutomaticName } from './automatic-name.js';

/** Chats with more branches keep their names: their outline is large. */
const MAX_BRANCHES = 500;
/** The thread and the graph are read first. */
const DELAY_MS = 1_000;

/** By the ids of branches; the label of the client for those that keep their names. */
const known = new SharedValue<ReadonlyMap<string, string>>(new Map());

/** @returns the branches with their labels for people: see docs/explorer.md */
export function useLabeled(branches: readonly Branch[]): readonly Branch[] {
  const labels = known.use();
  return useMemo(
    () =>
      branches.map((branch) => {
        const label = hasAutomaticName(branch) ? labels.get(branch.id) : undefined;
        return label === undefined ? branch : { ...branch, label };
      }),
    [branches, labels],
  );
}

/**
 * Reads the labels of branches with automatic names, once for each.
 * @param isShown whether the thread is on the screen
 */
export function useReadLabels(chatId: string, branches: readonly Branch[], isShown: boolean): void {
  const parley = useParley();
  const labels = known.use();
  const isUnread = branches.some((branch) => hasAutomaticName(branch) && !labels.has(branch.id));
  const isDue = isShown && isUnread && branches.length <= MAX_BRANCHES;
  useRead(
    (signal) => {
      if (!isDue) return undefined;
      return parley.run(ReadForks, { chatId }, signal).then(async ({ chat }) => {
        if (chat == null) return;
        const { labelsOf } = await import('./labels.js');
        const forked = chat.branches.edges.map(({ node: { id, name, head, createdAtMessage } }) => {
          return { id, name, head, forkId: createdAtMessage?.id ?? null };
        });
        const read = labelsOf(forked, chat.outline.segments);
        const own = branches.map(({ id, label }) => [id, known.get().get(id) ?? read.get(id) ?? label] as const);
        known.set(new Map([...known.get(), ...own]));
      });
    },
    [parley, chatId, isDue],
    DELAY_MS,
  );
}
