/** Records the root fields of an operation: changes, starts of subscriptions, shares, and objects that were not found. */
import { GraphQLError, isObjectType, type GraphQLField, type GraphQLSchema } from 'graphql';
import type { AuditEvent } from '../../audit/audit-entry.js';
import type { Context } from '../context.js';

/** The events of queries that find nothing; lists find something. */
export const QUERY_EVENTS: Readonly<Record<string, AuditEvent | null>> = {
  chat: 'chat.read',
  chats: null,
  deletedChats: null,
  legalHolds: null,
  monthlyUsage: null,
  message: 'chat.read',
  node: 'chat.read',
  search: null,
  shared: 'share.read',
  users: null,
  viewer: null,
  webhookDeliveries: null,
};

/** The ids in arguments, inputs and payloads. */
interface Named {
  id?: string | null;
  chatId?: string | null;
  userId?: string | null;
  webhook?: string;
  input?: Named;
  chat?: Named | null;
  accessToken?: Named;
  share?: Named;
  created?: boolean;
  /** Of an expected failure. */
  code?: string;
}

interface Recorded {
  event: AuditEvent;
  /** Whether successful calls have no line. */
  isQuiet?: boolean;
  /** @param input always has the chat or the object */
  idsOf(input: Named, payload: Named): { chats: (string | null | undefined)[]; target?: string | null | undefined };
}

const CHANGE: Recorded = { event: 'chat.changed', idsOf: ({ chatId, id }) => ({ chats: [chatId ?? id] }) };

/** With the user that the change concerns. */
function concerningUser(event: AuditEvent): Recorded {
  return { event, idsOf: ({ chatId, id, userId }) => ({ chats: [chatId ?? id], target: userId }) };
}

/** Of a chat, or of a user. */
function ofTarget(event: AuditEvent): Recorded {
  return { event, idsOf: ({ chatId, userId }) => ({ chats: [chatId], target: userId }) };
}

const CREATION: Recorded = {
  event: 'chat.created',
  idsOf: (_, { chat }) => ({ chats: [chat?.id], target: chat?.userId }),
};

export const MUTATIONS: Readonly<Record<string, Recorded>> = {
  addMember: concerningUser('member.changed'),
  // An answer has thousands of chunks: its start and its end have lines.
  appendToDraft: { ...CHANGE, isQuiet: true },
  btw: CHANGE,
  createAccessToken: {
    event: 'access_token.created',
    idsOf: ({ chatId }, { accessToken }) => ({ chats: [chatId], target: accessToken?.id }),
  },
  createChat: CREATION,
  createCheckpoint: CHANGE,
  createShare: { event: 'share.created', idsOf: ({ chatId }, { share }) => ({ chats: [chatId], target: share?.id }) },
  deleteBranch: CHANGE,
  deleteChat: { ...CHANGE, event: 'chat.deleted' },
  deleteCheckpoint: CHANGE,
  discardDraft: CHANGE,
  editMessage: CHANGE,
  finishDraft: CHANGE,
  forkChat: { event: 'chat.forked', idsOf: ({ chatId }, { chat }) => ({ chats: [chatId, chat?.id] }) },
  liftLegalHold: ofTarget('legal_hold.lifted'),
  removeMember: concerningUser('member.removed'),
  renameBranch: CHANGE,
  replayWebhookDeliveries: { event: 'webhooks.replayed', idsOf: ({ webhook }) => ({ chats: [], target: webhook }) },
  restoreChat: { ...CHANGE, event: 'chat.restored' },
  restoreCheckpoint: CHANGE,
  revokeAccessToken: { event: 'access_token.revoked', idsOf: ({ id }) => ({ chats: [], target: id }) },
  revokeShare: { event: 'share.revoked', idsOf: ({ id }) => ({ chats: [], target: id }) },
  rewind: CHANGE,
  setLegalHold: ofTarget('legal_hold.set'),
  setRetention: { event: 'retention.set', idsOf: (_, { userId }) => ({ chats: [], target: userId }) },
  setStorageQuota: { event: 'storage_quota.set', idsOf: (_, { userId }) => ({ chats: [], target: userId }) },
  saveMessages: CHANGE,
  startDraft: CHANGE,
  stopDraft: CHANGE,
  switchBranch: CHANGE,
  switchToSibling: CHANGE,
  transferChat: concerningUser('chat.transferred'),
  updateChat: CHANGE,
  upsertChat: CREATION,
};

export const SUBSCRIPTION_EVENTS: Readonly<Record<string, AuditEvent>> = {
  branchHead: 'chat.followed',
  chatChanges: 'chats.followed',
  chatEvents: 'chat.followed',
  draft: 'chat.followed',
  drafts: 'chat.followed',
};

/** Adds recording to the root fields of a schema. */
export function withAudit(schema: GraphQLSchema): GraphQLSchema {
  for (const field of fieldsOf(schema, 'Query')) {
    const event = QUERY_EVENTS[field.name];
    if (event != null) field.resolve = recording(field.resolve, queryRecorder(event));
  }
  for (const field of fieldsOf(schema, 'Mutation')) {
    const recorded = MUTATIONS[field.name];
    if (recorded !== undefined) field.resolve = recording(field.resolve, changeRecorder(recorded, field.name));
  }
  for (const field of fieldsOf(schema, 'Subscription')) {
    const event = SUBSCRIPTION_EVENTS[field.name];
    if (event !== undefined) field.subscribe = recording(field.subscribe, startRecorder(event, field.name));
  }
  return schema;
}

type Field = GraphQLField<unknown, Context>;
type Resolve = NonNullable<Field['resolve']>;
type Note = (context: Context, args: Named, outcome: Outcome) => void;

/** An expected failure of a mutation is a result. */
type Outcome = { result: unknown } | { thrown: unknown };

function fieldsOf(schema: GraphQLSchema, name: 'Query' | 'Mutation' | 'Subscription'): Field[] {
  const type = schema.getType(name);
  return isObjectType(type) ? Object.values<Field>(type.getFields()) : [];
}

function recording(resolve: Resolve | undefined, note: Note): Resolve {
  const audited = async (...[source, args, context, info]: Parameters<Resolve>) => {
    try {
      const result: unknown = await resolve?.(source, args, context, info);
      note(context, args as Named, { result });
      return result;
    } catch (error) {
      note(context, args as Named, { thrown: error });
      throw error;
    }
  };
  return (source, args, context, info) =>
    (context.audit === undefined ? resolve : audited)?.(source, args, context, info);
}

function queryRecorder(event: AuditEvent): Note {
  return ({ audit }, _, outcome) => {
    if ('thrown' in outcome) return;
    if (outcome.result == null) audit?.missed(event);
    else if (event === 'share.read') {
      const { id, chatId } = outcome.result as Named;
      audit?.done({ event, chatIds: given([chatId]), target: id });
    }
  };
}

function changeRecorder({ event, isQuiet = false, idsOf }: Recorded, field: string): Note {
  return ({ audit }, { input = {} }, outcome) => {
    const payload = 'result' in outcome ? (outcome.result as Named) : {};
    if (payload.code === 'NOT_FOUND') return audit?.missed(event, field);
    const { chats, target } = idsOf(input, payload);
    const chatIds = given(chats);
    const failure = 'thrown' in outcome ? 'failed' : payload.code === undefined ? null : 'refused';
    if (failure !== null) audit?.refused({ event, result: failure, chatIds, field });
    // upsertChat found the chat.
    else if (event === 'chat.created' && payload.created === false) audit?.read('chat.read', chatIds);
    else audit?.done({ event, chatIds, target, field }, isQuiet);
  };
}

function startRecorder(event: AuditEvent, field: string): Note {
  return ({ audit }, { chatId }, outcome) => {
    const chatIds = given([chatId]);
    if ('result' in outcome) return audit?.done({ event, chatIds, field });
    const code = outcome.thrown instanceof GraphQLError ? outcome.thrown.extensions['code'] : undefined;
    if (code === 'NOT_FOUND') return audit?.missed(event, field);
    audit?.refused({ event, result: code === 'BAD_USER_INPUT' ? 'refused' : 'failed', chatIds, field });
  };
}

function given(ids: readonly (string | null | undefined)[]): string[] {
  return ids.filter((id) => id != null);
}
