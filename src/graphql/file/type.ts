import type { MessageFile } from '../../conversation/files/file-records.js';
import { mayHaveFiles } from '../../conversation/files/file-references.js';
import { builder } from '../builder.js';
import { messageRef } from '../refs.js';

/** A file in one of its messages. */
interface FileOfMessage extends MessageFile {
  messageId: string;
}

const fileRef = builder.objectRef<FileOfMessage>('File').implement({
  description: 'A file that a message contains, stored once per content. A file part refers to it as parley:file:<id>.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'SHA-256 of the content in hex.' }),
    name: t.exposeString('name', { nullable: true, description: 'The name in this message.' }),
    mediaType: t.exposeString('mediaType', {
      description: 'As the content shows it, such as image/png; text/plain for every text but SVG.',
    }),
    size: t.exposeFloat('size', { description: 'Bytes.' }),
    url: t.string({
      description: 'Path on this server; readable by viewers who may read a message that contains the file.',
      resolve: ({ id, messageId }) => `/files/${id}?message=${encodeURIComponent(messageId)}`,
    }),
  }),
});

builder.objectField(messageRef, 'files', (t) =>
  t.field({
    type: [fileRef],
    description: 'Stored files that this message contains, in the order of its parts.',
    resolve: async ({ id, data }, _args, { loaders }) => {
      if (!mayHaveFiles(data)) return [];
      return (await loaders.files.load(id)).map((file) => ({ ...file, messageId: id }));
    },
  }),
);
