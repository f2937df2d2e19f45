import { useState } from 'react';
import { useRead } from '../requests/use-read.js';
import { commonCount, FIRST_PATH, keyInAddress, showInAddress } from './branches.js';
import { readShare, type SharedMessage, type SharedPart } from './read-share.js';

/** The messages of a branch of a share that are read. */
export interface ReadShare {
  /** Null for a token that is invalid, expired or revoked. */
  share: SharedPart | null;
  /** The key of the open branch. */
  branch: string;
  messages: SharedMessage[];
  /** The depth at which a reader continues in a branch that was opened; null for the beginning. */
  from: number | null;
}

interface Target {
  /** Null for the one in the address. */
  branch: string | null;
  after: string | null;
  from: number | null;
}

interface UseShare {
  /** Null until it is read. */
  read: ReadShare | null;
  /** The reason of the last failure; '' for none. */
  failure: string;
  retry(): void;
  /** Reads more messages; null at the end, and during a read. */
  readMore: (() => void) | null;
  /** Opens a branch after the messages that it has in common with the open one. */
  open(key: string): void;
}

/** A share, page by page. Common messages remain shown while another branch is read. */
export function useShare(token: string): UseShare {
  const [read, setRead] = useState<ReadShare | null>(null);
  const [target, setTarget] = useState<Target>({ branch: null, after: null, from: null });
  const [attempt, setAttempt] = useState(0);
  const [failure, setFailure] = useRead(
    async (signal) => {
      const { branch, from } = target;
      let { after } = target;
      const newer: SharedMessage[] = [];
      let share: SharedPart | null;
      do {
        share = await readShare(token, { branch, after }, signal);
        newer.push(...(share?.messages.edges.map(({ node }) => node) ?? []));
        after = share?.messages.pageInfo.endCursor ?? null;
      } while (share?.messages.pageInfo.hasNextPage && newer.length <= (from ?? 0));
      const wanted = branch ?? keyInAddress(share?.branches ?? []);
      if (share !== null && branch === null && wanted !== FIRST_PATH) {
        setTarget({ ...target, branch: wanted });
        return;
      }
      setFailure('');
      setRead((before) => ({
        ...{ share, branch: wanted, from },
        messages: [...(target.after === null ? [] : (before?.messages ?? [])), ...newer],
      }));
    },
    [token, target, attempt],
  );
  const { hasNextPage = false, endCursor = null } = read?.share?.messages.pageInfo ?? {};
  const isRead = read !== null && (target.branch ?? FIRST_PATH) === read.branch && endCursor !== target.after;
  return {
    read,
    failure,
    retry: () => setAttempt(attempt + 1),
    readMore: hasNextPage && isRead ? () => setTarget({ branch: read.branch, after: endCursor, from: null }) : null,
    open: (key) => {
      const branches = read?.share?.branches ?? [];
      const branch = branches.find((each) => each.key === key);
      if (read === null || branch === undefined || key === read.branch) return;
      showInAddress(branch);
      setTarget({ branch: key, after: null, from: commonCount(branches, read.branch, key) });
    },
  };
}
