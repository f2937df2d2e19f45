/** The graphs of several chats, for miniatures. */
import { operation } from '@parley/client';
import { useParley } from '@parley/client/react';
import { useRead } from '../requests/use-read.js';
import { SharedValue } from '../browser/shared-value.js';
import { chainsOf, nodesOf, type Chains } from './chains.js';

/** Chats per request: the server counts 1,000 segments for each. */
export const PICTURES_PER_REQUEST = 6;
/** Larger graphs are not drawn: their segments would be thinner than a pixel. */
const MAX_MESSAGES = 2_000;
/** Branches with colours of their own. */
const MAX_BRANCHES = 50;

export interface Pictured {
  readonly id: string;
  /** The picture of an older version is shown until the next one was read. */
  readonly version: number;
  readonly messageCount: number;
}

export interface Picture {
  readonly version: number;
  readonly chains: Chains;
  readonly headId: string | null;
}

interface Head {
  id: string;
  name: string;
  depth: number;
  latestLeaf: { id: string };
}

interface Outlined {
  version: number;
  activeBranch: { head: { id: string } | null };
  branches: { edges: { node: { head: Head | null } }[] };
  outline: Parameters<typeof nodesOf>[0];
}

const known = new SharedValue<ReadonlyMap<string, Picture>>(new Map());

/** The query of the pictures of a number of chats, with variables `c0`, `c1`, … */
export const picturesQuery = (count: number): string => {
  const names = Array.from({ length: count }, (_, n) => `c${n}`);
  return `query ReadPictures(${names.map((name) => `$${name}: ID!`).join(' ')}) {
    ${names.map((name) => `${name}: chat(id: $${name}) { ...Pictured }`).join('\n')}
  }
  fragment Pictured on Chat {
    version
    activeBranch { head { id } }
    branches(first: ${MAX_BRANCHES}) { edges { node { head { id name depth latestLeaf { id } } } } }
    outline { segments { firstId lastId parentId length depth firstRole lastRole } }
  }`;
};

/** @returns pictures by chat id; those of large chats and failed reads are missing */
export function usePictures(chats: readonly Pictured[]): ReadonlyMap<string, Picture> {
  const parley = useParley();
  const pictures = known.use();
  const unread = chats
    .filter(({ id, version, messageCount }) => {
      return messageCount > 0 && messageCount <= MAX_MESSAGES && (pictures.get(id)?.version ?? -1) < version;
    })
    .slice(0, PICTURES_PER_REQUEST)
    .map(({ id }) => id);
  useRead(
    (signal) => {
      if (unread.length === 0) return undefined;
      const ReadPictures = operation<Record<string, Outlined | null>, Record<string, string>>(
        picturesQuery(unread.length),
      );
      return parley.run(ReadPictures, Object.fromEntries(unread.map((id, n) => [`c${n}`, id])), signal).then((read) => {
        const found = unread.flatMap((id, n) => {
          const outlined = read[`c${n}`];
          return outlined ? [[id, pictureOf(outlined)] as const] : [];
        });
        known.set(new Map([...known.get(), ...found]));
      });
    },
    [parley, unread.join(' ')],
  );
  return pictures;
}

function pictureOf({ version, activeBranch, branches, outline }: Outlined): Picture {
  const heads = branches.edges.map(({ node }) => node.head);
  const places = heads.flatMap((head) =>
    head === null ? [] : [[head.id, { ...head, leafId: head.latestLeaf.id }] as const],
  );
  const chains = chainsOf(
    nodesOf(outline, [], new Map(places)),
    heads.map((head) => head?.id ?? null),
  );
  return { version, chains, headId: activeBranch.head?.id ?? null };
}
