/** Generated files that exhaust memory or disk, in pieces. */
import { writeZip } from '../zips/write-zip.js';

/** ChatGPT conversations with many small objects that no reader needs, each with a separate key and hidden class. */
export function* manySmallObjects(conversations = 12, objectsEach = 800_000): Generator<string> {
  const objects = Array.from({ length: objectsEach }, (_, n) => `{"k${n}":${n}}`).join(',');
  for (let n = 0; n < conversations; n++) {
    yield `${n === 0 ? '[' : ','}${chatgptConversation(`c${n}`, objects)}`;
  }
  yield ']';
}

/** A ChatGPT conversation of one message. @param extra elements of an array that its reader ignores */
function chatgptConversation(id: string, extra: string, time = 1): string {
  return (
    `{"title":"t","create_time":${time},"conversation_id":"${id}","current_node":"a","mapping":{"a":{"id":"a",` +
    `"parent":null,"children":[],"message":${messageOf('a', time)}}},"extra":[${extra}]}`
  );
}

function messageOf(id: string, time = 1): string {
  return (
    `{"id":"${id}","author":{"role":"user"},"create_time":${time},"metadata":{},` +
    `"content":{"content_type":"text","parts":["Hello"]}}`
  );
}

/** A ChatGPT conversation whose tree is one path, with a message only at its leaf. */
export function* manyNodes(nodes = 190_000): Generator<string> {
  const nodeAt = (n: number) => {
    const children = n === nodes - 1 ? '' : `"n${n + 1}"`;
    const message = n === nodes - 1 ? messageOf('n') : 'null';
    return `"n${n}":{"id":"n${n}","parent":${n === 0 ? 'null' : `"n${n - 1}"`},"children":[${children}],"message":${message}}`;
  };
  yield `[{"title":"t","create_time":1,"conversation_id":"nodes","current_node":"n${nodes - 1}","mapping":{`;
  for (let n = 0; n < nodes; n += 1000) {
    const count = Math.min(1000, nodes - n);
    yield `${n === 0 ? '' : ','}${Array.from({ length: count }, (_, i) => nodeAt(n + i)).join()}`;
  }
  yield '}}]';
}

/** ChatGPT conversations of one message, with times of the year 9999. */
export function* futureChats(chats: number): Generator<string> {
  const time = Date.UTC(9999, 0, 1) / 1000;
  for (let n = 0; n < chats; n++) {
    yield `${n === 0 ? '[' : ','}${chatgptConversation(`future-${n}`, '', time)}`;
  }
  yield ']';
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
