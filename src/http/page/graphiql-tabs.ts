/** What GraphiQL shows at first: the newest chat's graph, and the everyday operations, ready to be changed. */

interface Tab {
  query: string;
  variables?: string;
}

const show = `# The newest chat, as a graph. Press the triangle, or Ctrl-Enter.
# "npm run demo" writes a chat to look at; "npm run import -- FILE" reads your own.
# Below are the ten that were changed last: imported ones keep their times.
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
  recent: chats(first: 10) {
    totalCount
    edges {
      node {
        id
        title
        updatedAt
        messageCount
      }
    }
  }
}
`;

const search = `# Find messages by their words, on any branch: words that must all occur, "phrases", beginnings* and -exclusions.
query Search($query: String!) {
  search(query: $query) {
    edges {
      node {
        snippet
        message {
          id
          name
          branches {
            name
          }
          chat {
            id
            title
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

const arrows = `# The arrows beside a message that has several versions: show another one, and what follows it.
# Siblings are the versions to choose from; siblingIndex + 1 of siblingCount is what stands between the arrows.
mutation Arrows($input: SwitchToSiblingInput!) {
  switchToSibling(input: $input) {
    __typename
    ... on BranchPayload {
      branch {
        name
        chain {
          id
          text
          siblingIndex
          siblingCount
          siblings {
            id
          }
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

const compare = `# Two branches side by side, each from where it begins; the messages that they share have the same ids.
query Compare($chatId: ID!, $left: String!, $right: String!) {
  chat(id: $chatId) {
    left: branch(name: $left) {
      ...Thread
    }
    right: branch(name: $right) {
      ...Thread
    }
  }
}

fragment Thread on Branch {
  name
  messageCount
  chain {
    id
    name
    text
  }
}
`;

const checkpoint = `# Put a bookmark on the active branch's head; the tab Restore goes back to one.
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

const restore = `# Go back to a bookmark: a new active branch begins there.
mutation Restore($input: RestoreCheckpointInput!) {
  restoreCheckpoint(input: $input) {
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

function withVariables(query: string, variables: object): Tab {
  return { query, variables: JSON.stringify(variables, null, 2) };
}

function withInput(query: string, input: object): Tab {
  return withVariables(query, { input });
}

/** The ids are those of the demo, so that every tab runs as it is. */
export const graphiqlTabs: Tab[] = [
  { query: show },
  withVariables(search, { query: 'river walk' }),
  withInput(save, { chatId: 'demo', messages: [{ name: 'user', content: { text: 'And on a rainy day?' } }] }),
  withInput(edit, { chatId: 'demo', messageId: 'demo-question', content: { text: 'Where could we go in Lisbon?' } }),
  withInput(arrows, { chatId: 'demo', messageId: 'demo-other-answer' }),
  withInput(rewind, { chatId: 'demo', messageId: 'demo-answer' }),
  withInput(switchBranch, { chatId: 'demo', name: 'main' }),
  withVariables(compare, { chatId: 'demo', left: 'main', right: 'main-v2' }),
  withInput(checkpoint, { chatId: 'demo', name: 'before the weather turned' }),
  withInput(restore, { chatId: 'demo', name: 'the first idea' }),
  withVariables(context, { chatId: 'demo', input: travelGuide }),
  withVariables(follow, { chatId: 'demo' }),
];
