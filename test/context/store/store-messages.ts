/** Messages of stores. */
import { expect } from 'vitest';
import type { MessageData, NewMessageData } from '@parley/context';

export const aNumber = expect.any(Number) as number;

export const aText = expect.any(String) as string;

/** A user message, whose text is its id by default. */
export const userMessage = (id: string, text = id): NewMessageData => ({ id, name: 'user', content: { text } });

export const answered = (id: string, text = id): NewMessageData => ({ id, name: 'assistant', content: { text } });

export const ids = (messages: readonly MessageData[]) => messages.map(({ id }) => id);
