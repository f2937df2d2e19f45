/** Messages of stores. */
import { expect } from 'vitest';
import type { MessageData, NewMessageData } from '@parley/context';

export const aNumber = expect.any(Number) as number;

export const aText = expect.any(String) as string;

/** A message of a user, whose text is its id unless another is given. */
export const userMessage = (id: string, text = id): NewMessageData => ({ id, name: 'user', content: { text } });

export const answered = (id: string, text = id): NewMessageData => ({ id, name: 'assistant', content: { text } });

export const ids = (messages: readonly MessageData[]) => messages.map(({ id }) => id);
