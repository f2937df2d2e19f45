import { keepHeapModest } from './modest-heap.js';

export const importCommands = {
  import: {
    summary: "import conversations from an export of another system or of Parley's own",
    load: async () => {
      keepHeapModest();
      return import('./command.js');
    },
  },
};
