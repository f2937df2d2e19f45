/** The documents of the known attacks. */

const ALIASES = 45;

/** The same field under several names: the maximum is 50. */
function aliased(count: number, field: string): string {
  return Array.from({ length: count }, (_, n) => `a${n}:${field}`).join(' ');
}

/** Selections of a message. */
export const PARENTS = aliased(ALIASES, 'parent{...P parent{...P}}');
export const TEXTS = aliased(ALIASES, 'text');

const PARENT = 'fragment P on Message{id nodeId name type text data depth seq createdAt createdBy parentId}';
const fragmentsOf = (selection: string) => (selection.includes('...P') ? PARENT : '');

/** A page of the active branch. */
export function pageOf(chatId: string, first: number, selection: string): string {
  const page = `messages(first:${first}){edges{node{${selection}}}}`;
  return `{chat(id:"${chatId}"){activeBranch{${page}}}}${fragmentsOf(selection)}`;
}

/** The same page of a share under several names. */
export function sharedPages(count: number, page: string): string {
  const pages = aliased(count, `${page}{...M}`);
  return `query($t:String!){shared(token:$t){${pages}}}fragment M on SharedMessageConnection{edges{node{data}}}`;
}

/** A subscription to the head of `followed`. @param n makes it different: equal ones share their results */
export function headOf(n: number, selection: string): string {
  return `subscription S${n}{branchHead(chatId:"followed"){seq appended{${selection}}}}${fragmentsOf(selection)}`;
}

export const CREATE_SHARE =
  'mutation($i:CreateShareInput!){createShare(input:$i){... on SharePayload{share{id token}} ... on Error{code}}}';
export const FORK =
  'mutation($i:ForkChatInput!){forkChat(input:$i){... on ForkChatPayload{chat{id}} ... on Error{code}}}';
export const SAVE = 'mutation($i:SaveMessagesInput!){saveMessages(input:$i){__typename}}';
