/** The texts of the history. */
export const historyWords = {
  day: 'Day',
  noEvents: 'No events of this kind.',
  noEventsOnDay: 'No events of this kind on this day.',
  asItWas: 'State',
  asItWasAt: (seq: number): string => `State after event ${seq}`,
  then: (seq: number): string => `The chat after event ${seq}`,
  before: 'before',
  nowhere: 'none',
  stillEmpty: '(empty)',
  eventKinds: {
    all: { label: 'All events', types: null },
    heads: { label: 'Head moves', types: ['BRANCH_HEAD_MOVED'] },
    branches: {
      label: 'Branches',
      types: ['BRANCH_CREATED', 'BRANCH_ACTIVATED', 'BRANCH_RENAMED', 'BRANCH_DELETED'],
    },
    checkpoints: { label: 'Checkpoints', types: ['CHECKPOINT_SAVED', 'CHECKPOINT_DELETED'] },
  } as Record<'all' | 'heads' | 'branches' | 'checkpoints', { label: string; types: readonly string[] | null }>,
  events: {
    ChatCreated: 'The chat was created',
    ChatUpdated: 'The chat was updated',
    ChatTransferred: 'The chat was transferred',
    BranchCreated: 'New branch',
    BranchHeadMoved: 'Head of',
    BranchActivated: 'Switched to',
    BranchRenamed: 'Renamed to',
    BranchDeleted: 'Deleted the branch',
    CheckpointSaved: 'Checkpoint',
    CheckpointDeleted: 'Deleted the checkpoint',
  } as Record<string, string>,
} as const;
