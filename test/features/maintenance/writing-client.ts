/** A client that saves, edits and stores files until it is stopped. */
import { setTimeout as pause } from 'node:timers/promises';

export interface WritingClient {
  /** The ids of acknowledged messages, so far. */
  saved: string[];
  /** Settles when this many messages are acknowledged. */
  reaches(count: number): Promise<void>;
  stop(): Promise<void>;
}

export function startWriting(url: string): WritingClient {
  const saved: string[] = [];
  let isStopped = false;
  const ask = async (query: string, variables: object) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    const answer = JSON.stringify(await response.json());
    if (!answer.includes('Payload"')) throw new Error(answer);
  };
  const upload = async (text: string) => {
    const response = await fetch(new URL(`/files?name=${text}.txt`, url), {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: `content ${text} `.repeat(1_000),
    });
    return ((await response.json()) as { reference: string }).reference;
  };
  const write = async () => {
    await ask('mutation ($input: CreateChatInput!) { createChat(input: $input) { __typename } }', {
      input: { id: 'c' },
    });
    for (let n = 0; !isStopped; n++) {
      const id = `m${n}`;
      const data = { text: `text ${n}`, url: await upload(String(n)) };
      await ask('mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }', {
        input: { chatId: 'c', messages: [{ id, name: 'user', content: { data } }] },
      });
      saved.push(id);
      if (n % 5 !== 4) continue;
      await ask('mutation ($input: EditMessageInput!) { editMessage(input: $input) { __typename } }', {
        input: { chatId: 'c', messageId: id, id: `${id}-edited`, content: { text: 'edited' } },
      });
      saved.push(`${id}-edited`);
    }
  };
  const written = write();
  return {
    saved,
    reaches: async (count) => {
      while (saved.length < count) await Promise.race([written, pause(5)]);
    },
    stop: async () => {
      isStopped = true;
      await written;
    },
  };
}
