/** The texts of a thread. */
export const threadWords = {
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
  },
  position: (seq: number, depth: number): string => `number ${seq} of the chat, depth ${depth}`,
  root: 'none',
  tokens: (input: number | null, output: number | null): string =>
    [input !== null && `${input.toLocaleString('en')} in`, output !== null && `${output.toLocaleString('en')} out`]
      .filter((part) => part !== false)
      .join(', '),
  items: (count: number): string => (count === 1 ? '1 item' : `${count.toLocaleString('en')} items`),
} as const;
