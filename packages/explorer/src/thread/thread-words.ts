import { bytes } from '../words.js';

/** The texts of a thread. */
export const threadWords = {
  nearQuota: (used: number, quota: number): string =>
    `Your chats and files use ${bytes(used)} of ${bytes(quota)}. Delete chats, or ask an admin for more storage.`,
  you: 'You',
  names: { assistant: 'Assistant', system: 'System', tool: 'Tool' } as Readonly<Record<string, string>>,
  writing: 'writing…',
  version: (index: number, count: number): string => `${index + 1}/${count}`,
  versionLabel: (index: number, count: number): string => `Version ${index + 1} of ${count}`,
  copy: 'Copy',
  more: 'More for this message',
  details: 'Details',
  regenerate: 'Regenerate',
  compareVersions: 'Compare the versions',
  save: 'Save as a new version',
  checkpointAt: (name: string): string => `Checkpoint ${name}`,
  thinking: 'Thinking',
  toolStates: { running: 'running', done: 'done', failed: 'failed' } as const,
  reply: (branch: string): string => `Reply on “${branch}”, or choose an older message to branch from it`,
  keys: 'Enter to send · Shift+Enter for a new line',
  answer: 'Answer:',
  lastModel: 'The model of the last answer',
  newMessages: 'New messages',
  newest: 'Jump to newest',
  answersTitle: 'No messages yet.',
  answersHint: 'Answers come from a model beside the server. Run one of these, and write a message:',
  answerCommands: [
    'npm run answer -- --model echo',
    'npm run answer -- --base-url http://127.0.0.1:11434/v1 --model llama3.2',
  ],
  fields: {
    id: 'Id',
    parent: 'Parent',
    position: 'Position',
    author: 'Author',
    saved: 'Saved',
    model: 'Model',
    tokens: 'Tokens',
    type: 'Type',
    sources: 'Draws on',
    drawnOnBy: 'Drawn on by',
  },
  position: (seq: number, depth: number): string => `number ${seq} of the chat, depth ${depth}`,
  root: 'none',
  tokens: (input: number | null, output: number | null): string =>
    [input !== null && `${input.toLocaleString('en')} in`, output !== null && `${output.toLocaleString('en')} out`]
      .filter((part) => part !== false)
      .join(', '),
  items: (count: number): string => (count === 1 ? '1 item' : `${count.toLocaleString('en')} items`),
} as const;
