/** Minimal conversations in the format of ChatGPT's conversations.json. */

export interface MappingNode {
  id: string;
  message?: Record<string, unknown> | null;
  parent?: string | null;
  children?: string[];
}

export type Conversation = Record<string, unknown> & { mapping: Record<string, MappingNode> };

/** A node's message: the text is the id. */
export function message(id: string, members: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id,
    author: { role: 'user', name: null, metadata: {} },
    create_time: null,
    content: { content_type: 'text', parts: [`text of ${id}`] },
    metadata: {},
    ...members,
  };
}

/**
 * A conversation of these nodes, in this order: `'b < a'` is b under a, `'a'` a root, `'(r)'` a node without a message.
 * @param members of the conversation, in addition or instead
 */
export function conversation(nodes: readonly string[], members: Record<string, unknown> = {}): Conversation {
  const mapping: Record<string, MappingNode> = {};
  for (const line of nodes) {
    const [own = '', parent = null] = line.split(' < ');
    const id = own.replace(/[()]/g, '');
    mapping[id] = { id, message: own.startsWith('(') ? null : message(id), parent, children: [] };
  }
  for (const node of Object.values(mapping)) {
    if (node.parent != null) mapping[node.parent]?.children?.push(node.id);
  }
  const last = Object.keys(mapping).at(-1);
  return {
    title: 'A talk',
    create_time: 1700000000.5,
    update_time: 1700000100.25,
    mapping,
    current_node: last,
    conversation_id: 'c1',
    ...members,
  };
}

/** The same without `children`, as in slim exports. */
export function withoutChildren(of: Conversation): Conversation {
  const mapping = Object.fromEntries(Object.entries(of.mapping).map(([id, { children: _, ...node }]) => [id, node]));
  return { ...of, mapping };
}

/** A node of a conversation, for a test to change. */
export function nodeOf(of: Conversation, id: string): MappingNode {
  const node = of.mapping[id];
  if (node === undefined) throw new Error(`there is no node "${id}"`);
  return node;
}
