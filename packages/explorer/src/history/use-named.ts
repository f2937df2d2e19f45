import { useParley } from '@parley/client/react';
import { useMemo, useState } from 'react';
import { readMessages } from '../requests/read-messages.js';
import { useRead } from '../requests/use-read.js';
import type { LoggedEvent } from './events.js';

/** Characters of an excerpt. */
const PREVIEW = 60;

/** In GraphQL. */
export const NAMED_FIELDS = `name preview(length: ${PREVIEW}) depth latestLeaf { id }`;

/** A message that an event names. */
export interface NamedMessage {
  readonly name: string;
  readonly preview: string;
  readonly depth: number;
  readonly latestLeaf: { readonly id: string };
}

export type NamedMessages = ReadonlyMap<string, NamedMessage>;

/** The messages that events name, and others. @param others ids of messages */
export function useNamed(events: readonly LoggedEvent[], others: readonly string[] = []): NamedMessages {
  const parley = useParley();
  const [named, setNamed] = useState<NamedMessages>(new Map());
  const ids = events.flatMap(({ headId, previousHeadId, messageId }) => [headId, previousHeadId, messageId]);
  const unread = [...new Set([...ids, ...others])]
    .filter((id) => typeof id === 'string')
    .filter((id) => !named.has(id));
  useRead(
    (signal) => {
      // Read entries are not requested again.
      if (unread.length === 0) return undefined;
      return readMessages<NamedMessage>(parley, unread, NAMED_FIELDS, signal).then((read) =>
        setNamed((known) => new Map([...known, ...read])),
      );
    },
    [parley, unread.join(' ')],
  );
  return named;
}

/** The beginnings of messages, with an ellipsis when they are truncated. */
export function usePreviews(named: NamedMessages): ReadonlyMap<string, string> {
  return useMemo(
    () =>
      new Map(
        [...named].map(([id, { preview }]) => [id, preview.length < PREVIEW ? preview : `${preview.trimEnd()}…`]),
      ),
    [named],
  );
}
