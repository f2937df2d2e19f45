/** Subscriptions to drafts. */
import { expect } from 'vitest';
import type { EventStream } from '../../support/server/event-stream.js';
import { createChat, save, userMessage } from '../../support/chats/operations.js';
import { openParley, type Parley } from '../../support/server/parley.js';

export async function mutate(parley: Parley, field: string, input: string): Promise<void> {
  const answer = await parley.ask(
    `mutation { ${field}(input: { chatId: "c", ${input} }) { __typename ... on Error { message } } }`,
  );
  expect(JSON.stringify(answer)).not.toContain('message');
}

export const start = (parley: Parley, id = 'd') => mutate(parley, 'startDraft', `id: "${id}"`);

export const append = (parley: Parley, offset: number, chunks: string[], id = 'd') =>
  mutate(parley, 'appendToDraft', `id: "${id}", offset: ${offset}, chunks: ${JSON.stringify(chunks)}`);

export const finish = (parley: Parley, id = 'd') => mutate(parley, 'finishDraft', `id: "${id}"`);

export async function deleteChat(parley: Parley): Promise<void> {
  const answer = await parley.ask('mutation { deleteChat(input: { chatId: "c" }) { __typename } }');
  expect(answer.errors).toBeUndefined();
}

export const discard = (parley: Parley, id = 'd') => mutate(parley, 'discardDraft', `id: "${id}"`);

/** A chat with a message a and a draft d. */
export async function chatWithDraft(options: Parameters<typeof openParley>[0] = {}): Promise<Parley> {
  const parley = await openParley(options);
  await createChat(parley, 'c');
  await save(parley, { chatId: 'c', messages: [userMessage('a')] });
  await start(parley);
  return parley;
}

/** The field's values in the next responses. */
export async function take(stream: EventStream, count: number): Promise<unknown[]> {
  return (await stream.take(count)).map(({ data }) => Object.values(data as object)[0] as unknown);
}

export const chunks = (offset: number, ...texts: string[]) => ({
  __typename: 'DraftChunks',
  offset,
  chunks: texts,
  length: offset + texts.length,
});
