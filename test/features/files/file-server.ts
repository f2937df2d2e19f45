/** A server with authenticated users, and requests about files. */
import { createHash } from 'node:crypto';
import { emptyDatabaseUrl } from '../../support/database/temporary-database.js';
import { startListening } from '../../support/server/listening-server.js';
import { AUTH, bearer } from '../../support/server/tokens.js';

export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export const sha256 = (content: Uint8Array | string) => createHash('sha256').update(content).digest('hex');

export interface Answer {
  status: number;
  body: Record<string, unknown>;
  headers: Headers;
}

export async function startFileServer({
  databaseUrl = emptyDatabaseUrl(),
  ...options
}: Parameters<typeof startListening>[0] = {}) {
  const server = await startListening({ auth: AUTH, databaseUrl, ...options });
  const at = (path: string) => server.url.replace('/graphql', path);
  const answerOf = async (response: Response): Promise<Answer> => {
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? {} : (JSON.parse(text) as never) };
  };
  /** The requests of a user. */
  const as = async (userId: string, isAdmin = false) => {
    const headers = await bearer(userId, isAdmin);
    const upload = async (content: Uint8Array<ArrayBuffer> | string, parameters: Record<string, string> = {}) =>
      answerOf(
        await fetch(at(`/files?${new URLSearchParams(parameters).toString()}`), {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/octet-stream' },
          body: content,
        }),
      );
    const get = (path: string, more: Record<string, string> = {}) =>
      fetch(at(path), { headers: { ...headers, ...more } });
    const ask = async <Data = Record<string, never>>(query: string, variables: object = {}): Promise<Data> => {
      const response = await fetch(server.url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      });
      const { data, errors } = (await response.json()) as { data: Data; errors?: { message: string }[] };
      if (errors !== undefined) throw new Error(errors.map(({ message }) => message).join('\n'));
      return data;
    };
    const links = async (files: { fileId: string; messageId: string }[]) =>
      answerOf(
        await fetch(at('/files/links'), {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ files }),
        }),
      );
    /** Imports a file; returns the lines of the report. */
    const bring = async (content: Uint8Array) => {
      const init = {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/zip' },
        body: new Uint8Array(content),
      };
      const text = await (await fetch(at('/import'), init)).text();
      return text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    };
    const createChat = (id: string) =>
      ask('mutation ($id: ID!) { createChat(input: { id: $id }) { __typename } }', { id });
    /** Saves a message with data; returns its result. */
    const save = async (chatId: string, id: string, data: unknown): Promise<SaveResult> => {
      const { saveMessages } = await ask<{ saveMessages: SaveResult }>(SAVE, { chatId, id, data });
      return saveMessages;
    };
    const token = headers.authorization.replace('Bearer ', '');
    return { token, upload, bring, get, ask, links, createChat, save };
  };
  return { ...server, at, as };
}

export interface SavedFile {
  id: string;
  name: string | null;
  position: number;
  url: string;
  file: { id: string; mediaType: string; size: number };
}

export interface SaveResult {
  __typename: string;
  message?: string;
  path?: string;
  messages?: { id: string; data: unknown; files: SavedFile[] }[];
}

const SAVE = `mutation ($chatId: ID!, $id: ID, $data: JSON!) {
  saveMessages(input: { chatId: $chatId, messages: [{ id: $id, name: "user", content: { data: $data } }] }) {
    __typename
    ... on SaveMessagesPayload { messages { id data files { id name position url file { id mediaType size } } } }
    ... on Error { message }
    ... on InvalidInputError { path }
  }
}`;

/** A UI message with a file. */
export const withFile = (url: string, filename = 'photo.png') => ({
  role: 'user',
  parts: [
    { type: 'text', text: 'Look' },
    { type: 'file', mediaType: 'image/png', filename, url },
  ],
});
