/** The values of a line, checked: what a file says goes into the tables as it is. Each throws an UnreadableError. */
import { nameFault } from '../../conversation/bounds.js';
import { isJsonObject } from '../../conversation/merge-patch.js';
import type { ChatEventType } from '../../conversation/model.js';
import { UnreadableError } from '../files/unreadable.js';

export type Line = Readonly<Record<string, unknown>>;

/** How late a time may be, in milliseconds: the year 9999, which all databases and clients can say. */
const LATEST = Date.UTC(9999, 11, 31);

export function objectOf(value: unknown, what: string): Line {
  if (!isJsonObject(value)) throw new UnreadableError(`${what} is not an object`);
  return value;
}

/** An id, or a name. */
export function nameOf(line: Line, key: string, what: string): string {
  const value = line[key];
  const fault = nameFault(value);
  if (fault !== null) throw new UnreadableError(`${what} has no usable ${key}: it ${fault}`);
  return value as string;
}

export function nullableName(line: Line, key: string, what: string): string | null {
  return line[key] === null ? null : nameOf(line, key, what);
}

/** A number from `least` to `most`. */
export function numberOf(line: Line, key: string, what: string, least: number, most: number): number {
  const value = line[key];
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new UnreadableError(`${what} has no usable ${key}: it must be a whole number from ${least} to ${most}`);
}

export function timeOf(line: Line, key: string, what: string): number {
  const value = line[key];
  const time = typeof value === 'string' ? Date.parse(value) : NaN;
  if (time >= 0 && time <= LATEST) return time;
  throw new UnreadableError(`${what} has no usable ${key}: it must be a time like 2026-01-31T12:00:00.000Z`);
}

type Kind = 'name' | 'name or null' | 'seq';

/** What the log keeps of each kind of event. */
const PAYLOADS: { [T in Exclude<ChatEventType, 'ChatDeleted'>]: Readonly<Record<string, Kind>> } = {
  ChatCreated: {},
  ChatUpdated: {},
  ChatTransferred: { previousUserId: 'name', userId: 'name' },
  BranchCreated: { branchId: 'name', headId: 'name or null' },
  BranchActivated: { branchId: 'name' },
  BranchHeadMoved: {
    branchId: 'name',
    previousHeadId: 'name or null',
    headId: 'name',
    firstSeq: 'seq',
    lastSeq: 'seq',
  },
  BranchRenamed: { branchId: 'name', previousName: 'name', name: 'name' },
  BranchDeleted: { branchId: 'name', name: 'name', headId: 'name or null' },
  CheckpointSaved: { checkpointId: 'name', name: 'name', messageId: 'name' },
  CheckpointDeleted: { name: 'name' },
};

export function eventTypeOf(line: Line, what: string): keyof typeof PAYLOADS {
  const { type } = line;
  if (typeof type === 'string' && Object.hasOwn(PAYLOADS, type)) return type as keyof typeof PAYLOADS;
  throw new UnreadableError(`${what} is of no kind of event that there is`);
}

/** Its JSON, in the order of its members that the log has. */
export function payloadOf(line: Line, type: keyof typeof PAYLOADS, what: string): Line {
  const payload = objectOf(line['payload'], `the payload of ${what}`);
  const checked: Record<string, unknown> = {};
  for (const [key, kind] of Object.entries(PAYLOADS[type])) {
    checked[key] =
      kind === 'seq'
        ? numberOf(payload, key, what, 0, 2 ** 31 - 1)
        : kind === 'name'
          ? nameOf(payload, key, what)
          : nullableName(payload, key, what);
  }
  return checked;
}
