import { mayHaveFiles } from '../../conversation/files/file-references.js';
import type { PlacedFile } from '../../conversation/files/file-records.js';
import type { Message } from '../../conversation/model.js';
import { plain, plainFiles, plainPart } from '../../graphql/answers/plain-members.js';
import type { Context } from '../../graphql/context.js';
import { builder } from '../../graphql/builder.js';
import { messageRef } from '../../graphql/refs.js';
import { needsAdmin, type SignedUrl, type UrlSigner } from './routes/signed-urls.js';

declare module '../../graphql/context.js' {
  interface FeatureContext {
    readonly fileSigner: UrlSigner;
  }
}

/** A file in one of its messages. */
interface FileOfMessage extends PlacedFile {
  messageId: string;
  chatId: string;
}

const idOf = ({ messageId, position }: FileOfMessage) => `${messageId}/${position}`;
const urlOf = ({ id, messageId }: FileOfMessage) => `/files/${id}?message=${encodeURIComponent(messageId)}`;

const contentRef = builder.objectRef<FileOfMessage>('File').implement({
  description: 'The content of files, stored once. A file part refers to it as parley:file:<id>.',
  fields: (t) => ({
    id: t.exposeID('id', {
      ...plain(({ id }: FileOfMessage) => JSON.stringify(id), 'contentId'),
      description: 'SHA-256 of the content in hex.',
    }),
    mediaType: t.exposeString('mediaType', {
      ...plain(({ mediaType }: FileOfMessage) => JSON.stringify(mediaType), 'mediaType'),
      description: 'As the content shows it, such as image/png; text/plain for every text but SVG.',
    }),
    size: t.exposeFloat('size', {
      ...plain(({ size }: FileOfMessage) => JSON.stringify(size), 'size'),
      description: 'Bytes.',
    }),
  }),
});

const signedUrlRef = builder.objectRef<SignedUrl>('SignedUrl').implement({
  description: 'A URL with the rights of its viewer, for elements that send no token.',
  fields: (t) => ({
    url: t.exposeString('url', { description: 'Path on this server.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: "One to two hours from now, or the end of an admin's session.",
    }),
  }),
});

const messageFileRef = builder.objectRef<FileOfMessage>('MessageFile').implement({
  description: 'A file in a message.',
  fields: (t) => ({
    id: t.id({
      ...plain((file: FileOfMessage) => JSON.stringify(idOf(file)), 'id'),
      description: 'Unique: two files of equal content have different ids.',
      resolve: idOf,
    }),
    name: t.exposeString('name', {
      ...plain(({ name }: FileOfMessage) => JSON.stringify(name), 'name'),
      nullable: true,
      description: 'The name in this message.',
    }),
    position: t.exposeInt('position', {
      ...plain(({ position }: FileOfMessage) => JSON.stringify(position), 'position'),
      description: 'The number of its reference in the data of the message, from 0.',
    }),
    url: t.string({
      ...plain((file: FileOfMessage) => JSON.stringify(urlOf(file)), 'url'),
      description: 'Path on this server; readable by viewers who may read a message that contains the file.',
      resolve: urlOf,
    }),
    file: t.field({
      ...plainPart<FileOfMessage>(),
      type: contentRef,
      description: 'The content.',
      resolve: (file) => file,
    }),
    signedUrl: t.field({
      type: signedUrlRef,
      nullable: true,
      description:
        'A URL for elements such as <img>. Null in a subscription by an admin without a role in the chat: use a query instead. A ' +
        'list that selects it takes longer.',
      resolve: async ({ id, messageId, chatId }, _args, { viewer, expiresAt, fileSigner, loaders, audit }) => {
        const chat = await loaders.chat.load(chatId);
        if (chat === null || (expiresAt === undefined && needsAdmin(viewer, chat))) return null;
        audit?.read('file.linked', [chatId]);
        return fileSigner.sign({ fileId: id, messageId }, chat, { viewer, expiresAt: expiresAt ?? null });
      },
    }),
  }),
});

/** The data of a message are searched once for all aliases. */
function filesOf(message: Message, { loaders, reads }: Pick<Context, 'loaders' | 'reads'>): Promise<FileOfMessage[]> {
  const files = loaders.of('files', (ids: readonly string[]) => reads.messageFiles(ids));
  return loaders.derived.get(message, 'files', async () => {
    const { id: messageId, chatId, data } = message;
    return mayHaveFiles(data) ? (await files.load(messageId)).map((file) => ({ ...file, messageId, chatId })) : [];
  });
}

builder.objectField(messageRef, 'files', (t) =>
  t.field({
    type: [messageFileRef],
    description: 'Stored files that this message contains, in the order of its parts.',
    ...plainFiles((messages: readonly Message[], context) =>
      Promise.all(messages.map((message) => filesOf(message, context))),
    ),
    resolve: (message, _args, context) => filesOf(message, context),
  }),
);
