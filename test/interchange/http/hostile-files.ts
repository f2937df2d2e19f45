/** Files that were made to take the memory or the disk of a server, piece by piece. */
import { writeZip } from '../write-zip.js';

/** ChatGPT conversations with many small objects that no reader needs. Each has its own key, and so its own hidden class. */
export function* manySmallObjects(conversations = 12, objectsEach = 800_000): Generator<string> {
  const objects = Array.from({ length: objectsEach }, (_, n) => `{"k${n}":${n}}`).join(',');
  for (let n = 0; n < conversations; n++) {
    yield `${n === 0 ? '[' : ','}${chatgptConversation(`c${n}`, objects)}`;
  }
  yield ']';
}

/** A ChatGPT conversation of one message. @param extra elements of an array that its reader ignores */
function chatgptConversation(id: string, extra: string): string {
  return (
    `{"title":"t","create_time":1,"conversation_id":"${id}","current_node":"a","mapping":{"a":{"id":"a","parent":null,` +
    `"children":[],"message":{"id":"a","author":{"role":"user"},"create_time":1,"metadata":{},` +
    `"content":{"content_type":"text","parts":["Hello"]}}}},"extra":[${extra}]}`
  );
}

/** A chat in Parley's format whose last line is missing. */
export function* endlessChat(messages = 3_000_000): Generator<string> {
  const time = '2026-01-01T00:00:00.000Z';
  const chat = { id: 'c', userId: 'u', title: null, metadata: {}, createdAt: time, updatedAt: time, version: 1 };
  yield `${JSON.stringify({ parley: 1, chat: { ...chat, messages } })}\n`;
  const message = (n: number) =>
    `{"message":{"id":"m${n}","parentId":${n === 0 ? null : `"m${n - 1}"`},"name":"user","type":"message",` +
    `"data":"x","createdAt":"${time}"}}\n`;
  for (let n = 0; n < messages; n += 1000) yield Array.from({ length: 1000 }, (_, i) => message(n + i)).join('');
}

/** A zip whose parts all point to the same bytes. */
export function zipOfSharedParts(partBytes: number, parts = 40_000): Buffer {
  const part = Buffer.alloc(partBytes);
  return writeZip(Object.fromEntries(Array.from({ length: parts }, (_, n) => [`conversations-${n}.zip`, part])), true);
}
