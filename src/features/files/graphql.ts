import type { MessageFile } from '../../conversation/files/file-records.js';
import { mayHaveFiles } from '../../conversation/files/file-references.js';
import type { Message } from '../../conversation/model.js';
import { plain, plainFiles } from '../../graphql/answers/plain-members.js';
import type { Context } from '../../graphql/context.js';
import { builder } from '../../graphql/builder.js';
import { messageRef } from '../../graphql/refs.js';

/** A file in one of its messages. */
interface FileOfMessage extends MessageFile {
  messageId: string;
}

const urlOf = ({ id, messageId }: FileOfMessage) => `/files/${id}?message=${encodeURIComponent(messageId)}`;

const fileRef = builder.objectRef<FileOfMessage>('File').implement({
  description: 'A file that a message contains, stored once per content. A file part refers to it as parley:file:<id>.',
  fields: (t) => ({
    id: t.exposeID('id', {
      ...plain(({ id }: FileOfMessage) => JSON.stringify(id), 'id'),
      description: 'SHA-256 of the content in hex.',
    }),
    name: t.exposeString('name', {
      ...plain(({ name }: FileOfMessage) => JSON.stringify(name), 'name'),
      nullable: true,
      description: 'The name in this message.',
    }),
    mediaType: t.exposeString('mediaType', {
      ...plain(({ mediaType }: FileOfMessage) => JSON.stringify(mediaType), 'mediaType'),
      description: 'As the content shows it, such as image/png; text/plain for every text but SVG.',
    }),
    size: t.exposeFloat('size', {
      ...plain(({ size }: FileOfMessage) => JSON.stringify(size), 'size'),
      description: 'Bytes.',
    }),
    url: t.string({
      ...plain((file: FileOfMessage) => JSON.stringify(urlOf(file)), 'url'),
      description: 'Path on this server; readable by viewers who may read a message that contains the file.',
      resolve: urlOf,
    }),
  }),
});

/** The data of a message are searched once for all aliases. */
function filesOf(message: Message, { loaders, reads }: Pick<Context, 'loaders' | 'reads'>): Promise<FileOfMessage[]> {
  const files = loaders.of('files', (ids: readonly string[]) => reads.messageFiles(ids));
  return loaders.derived.get(message, 'files', async () => {
    const { id, data } = message;
    return mayHaveFiles(data) ? (await files.load(id)).map((file) => ({ ...file, messageId: id })) : [];
  });
}

builder.objectField(messageRef, 'files', (t) =>
  t.field({
    type: [fileRef],
    description: 'Stored files that this message contains, in the order of its parts.',
    ...plainFiles((messages: readonly Message[], context) =>
      Promise.all(messages.map((message) => filesOf(message, context))),
    ),
    resolve: (message, _args, context) => filesOf(message, context),
  }),
);
