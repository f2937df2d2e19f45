/** What GraphiQL shows at first: the newest chat's graph, and the everyday operations, ready to be changed. */

interface Tab {
  query: string;
  variables?: string;
}

const show = `# The newest chat, as a graph. Press the triangle, or Ctrl-Enter.
# "npm run demo" writes a chat to look at; "npm run import -- FILE" reads your own.
query NewestChat {
  chats(first: 1) {
    edges {
      node {
        id
        title
        messageCount
        activeBranch {
          name
          messageCount
        }
        graph {
          nodes {
            id
            parentId
            role
            content
            depth
          }
          branches {
            name
            isActive
            head {
              id
            }
          }
          checkpoints {
            name
            message {
              id
            }
          }
        }
      }
    }
  }
}
`;

const save = `# Say something: the messages go to the end of the active branch.
mutation Save($input: SaveMessagesInput!) {
  saveMessages(input: $input) {
    __typename
    ... on SaveMessagesPayload {
      branch {
        name
        messageCount
      }
      messages {
        id
        name
        text
      }
    }
    ... on Error {
      message
    }
  }
}
`;

const edit = `# Say it differently: the new version stands beside the old one, on a new active branch.
mutation Edit($input: EditMessageInput!) {
  editMessage(input: $input) {
    __typename
    ... on SaveMessagesPayload {
      branch {
        name
        chain {
          id
          text
          siblingIndex
          siblingCount
        }
      }
    }
    ... on Error {
      message
    }
  }
}
`;

const rewind = `# Go back to a message: a new active branch begins there, and nothing is lost.
mutation Rewind($input: RewindInput!) {
  rewind(input: $input) {
    __typename
    ... on BranchPayload {
      branch {
        name
        isActive
        head {
          id
          text
        }
      }
    }
    ... on Error {
      message
    }
  }
}
`;

const switchBranch = `# Show another branch.
mutation Switch($input: SwitchBranchInput!) {
  switchBranch(input: $input) {
    __typename
    ... on BranchPayload {
      branch {
        name
        chain {
          name
          text
        }
      }
    }
    ... on Error {
      message
    }
  }
}
`;

const checkpoint = `# Put a bookmark on the active branch's head; restoreCheckpoint goes back to it.
mutation Checkpoint($input: CreateCheckpointInput!) {
  createCheckpoint(input: $input) {
    __typename
    ... on CheckpointPayload {
      created
      checkpoint {
        name
        message {
          id
          text
        }
      }
    }
    ... on Error {
      message
    }
  }
}
`;

const follow = `# Follow the active branch: save, edit or rewind in another tab of the browser, and watch.
subscription Follow($chatId: ID!) {
  branchHead(chatId: $chatId) {
    seq
    branch {
      name
    }
    previousHeadId
    head {
      id
      text
    }
    appended {
      id
      text
    }
  }
}
`;

const context = `# What a model is called with: fragments as its system prompt, and the messages of the active branch.
query Context($chatId: ID!, $input: ContextInput!) {
  chat(id: $chatId) {
    activeBranch {
      context(input: $input) {
        systemPrompt
        messages
      }
    }
  }
}
`;

/** What a travel guide has to know. */
const travelGuide = {
  renderer: 'XML',
  fragments: [
    { name: 'role', data: 'You know every corner of Portugal.' },
    { name: 'hint', data: 'Name one place, and say why.' },
    { name: 'identity', data: { name: 'Ana', interests: ['food', 'walking'] } },
  ],
  pending: [{ name: 'user', content: { text: 'And where do we eat?' } }],
};

function withInput(query: string, input: object): Tab {
  return { query, variables: JSON.stringify({ input }, null, 2) };
}

/** The ids are those of the demo, so that every tab runs as it is. */
export const graphiqlTabs: Tab[] = [
  { query: show },
  withInput(save, { chatId: 'demo', messages: [{ name: 'user', content: { text: 'And on a rainy day?' } }] }),
  withInput(edit, { chatId: 'demo', messageId: 'demo-question', content: { text: 'Where could we go in Lisbon?' } }),
  withInput(rewind, { chatId: 'demo', messageId: 'demo-answer' }),
  withInput(switchBranch, { chatId: 'demo', name: 'main' }),
  withInput(checkpoint, { chatId: 'demo', name: 'before the weather turned' }),
  { query: context, variables: JSON.stringify({ chatId: 'demo', input: travelGuide }, null, 2) },
  { query: follow, variables: JSON.stringify({ chatId: 'demo' }, null, 2) },
];
