/** Two users with a file each, and the actions of tests about rights on files. */
import { UrlSigner } from '../../../src/features/files/routes/signed-urls.js';
import { PNG, sha256, startFileServer, withFile } from './file-server.js';

export const SECRET = 'a secret of signed URLs, of thirty-two bytes';
export const FILE = sha256(PNG);
export const OTHER = Buffer.concat([PNG, Buffer.from('of bob')]);
export const REFERENCE = `parley:file:${FILE}`;

/** The chat "a" of ann has a message "m" with a file, and the chat "b" of bob a message "n" with another. */
export async function twoOwners() {
  const server = await startFileServer({ filesSecret: SECRET });
  const [ann, bob, root] = [await server.as('ann'), await server.as('bob'), await server.as('root', true)];
  await ann.createChat('a');
  await bob.createChat('b');
  await ann.upload(PNG);
  await ann.save('a', 'm', withFile(REFERENCE));
  await bob.upload(OTHER);
  await bob.save('b', 'n', withFile(`parley:file:${sha256(OTHER)}`));
  const status = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(server.at(path), { headers })).status;
  return { server, ann, bob, root, status, signer: new UrlSigner(SECRET) };
}

export type Owners = Awaited<ReturnType<typeof twoOwners>>;
export type User = Owners['ann'];

export const transfer = ({ root }: Owners) =>
  root.ask('mutation { transferChat(input: { chatId: "a", userId: "bob" }) { __typename } }');
export const deleteChat = ({ ann }: Owners) =>
  ann.ask('mutation { deleteChat(input: { chatId: "a" }) { __typename } }');
