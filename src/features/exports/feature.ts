/** Exports of chats as files: see docs/export.md. */
import type { Feature } from '../../feature.js';
import { TransferSlots } from '../../limits/transfer-slots.js';
import { answerExport } from './export-route.js';

export const exporting: Feature = {
  paths: ['/export'],
  open: () => ({
    serve: () => ({
      routes: ({ archive, files }) => ({
        '/export': {
          methods: ['GET', 'HEAD'],
          slots: new TransferSlots('exports', { ofAUser: 2, ofAll: 8 }),
          scope: 'READ',
          event: 'chat.exported',
          answer: ({ request, response, url, session, audit }) =>
            answerExport(request, response, { url, session, audit, archive, files }),
        },
      }),
    }),
  }),
};
