/** Exports of chats as files: see docs/export.md. */
import type { Feature } from '../../feature.js';
import { TransferSlots } from '../../limits/transfer-slots.js';
import { ChatArchive } from './archive.js';
import { answerExport } from './export-route.js';

export const exporting: Feature = {
  paths: ['/export'],
  open: (connection) => ({
    serve: () => ({
      routes: ({ currentReads, files }) => ({
        '/export': {
          methods: ['GET', 'HEAD'],
          slots: new TransferSlots('exports', { ofAUser: 2, ofAll: 8 }),
          scope: 'READ',
          event: 'chat.exported',
          isForPages: true,
          answer: ({ request, response, url, session, audit }) =>
            answerExport(request, response, {
              ...{ url, session, audit, files },
              archive: (caller) => new ChatArchive(connection, { caller, currentReads }),
            }),
        },
      }),
    }),
  }),
};
