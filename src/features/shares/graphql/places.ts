/** The paths that createShare shares: that to a place, and those to the heads of branches. */
import { isPossibleId } from '../../../conversation/bounds.js';
import { InvalidInputError, NotFoundError } from '../../../conversation/errors.js';
import type { Branch } from '../../../conversation/model.js';
import { found } from '../../../graphql/answers/references.js';
import { branchAt, checkpointAt, isBranch, type Place } from '../../../graphql/chat/place.js';
import type { Context } from '../../../graphql/context.js';
import { wholeList } from '../../../graphql/limits/object-budget.js';
import type { SharedPlace } from '../path-digests.js';
import { MAX_SHARED_BRANCHES } from '../shared-branches.js';

interface SharedPlaces {
  readonly chatId: string;
  readonly place?: Place | null | undefined;
  readonly branches?: readonly string[] | null | undefined;
  readonly allBranches: boolean;
}

/**
 * The path that opens first, and the others.
 * @throws InvalidInputError, NotFoundError
 */
export async function placesOf(input: SharedPlaces, context: Context): Promise<SharedPlace[]> {
  const opened = await placeOf(input, context);
  const others = (await chosenBranches(input, context)).filter(({ name }) => name !== opened.name);
  if (others.length > MAX_SHARED_BRANCHES) {
    throw new InvalidInputError(
      `A share can have ${MAX_SHARED_BRANCHES} branches besides its place, got ${others.length}: choose them in branches`,
      input.allBranches ? 'allBranches' : 'branches',
    );
  }
  return [opened, ...(await Promise.all(others.map((branch) => headOf(branch, 'branches', context))))];
}

async function chosenBranches({ chatId, branches, allBranches }: SharedPlaces, context: Context): Promise<Branch[]> {
  const { loaders } = context;
  if (!allBranches) {
    const names = [...new Set(branches)];
    if (names.length > MAX_SHARED_BRANCHES + 1) {
      throw new InvalidInputError(
        `branches must have at most ${MAX_SHARED_BRANCHES} elements, got ${names.length}`,
        'branches',
      );
    }
    return Promise.all(
      names.map(async (name) => {
        const branch = await branchAt(chatId, { branch: name }, context);
        if (branch === null) throw NotFoundError.branch(name, chatId);
        return branch;
      }),
    );
  }
  if (branches != null)
    throw new InvalidInputError('allBranches cannot be given together with branches', 'allBranches');
  const { rows } = await loaders.branchPage.load(chatId, wholeList(context));
  return rows.filter(({ headMessageId }) => headMessageId !== null);
}

async function headOf(
  { chatId, name, headMessageId: id }: Branch,
  path: string,
  { loaders }: Context,
): Promise<SharedPlace> {
  if (id === null) throw new InvalidInputError(`Branch "${name}" is empty: there is nothing to share`, path);
  return { name, end: found(await loaders.message.load({ chatId, id }), 'The message') };
}

async function placeOf({ chatId, place }: SharedPlaces, context: Context): Promise<SharedPlace> {
  const { loaders } = context;
  if (place == null) return headOf(await loaders.activeBranch.load(chatId), 'place', context);
  if (isBranch(place)) {
    const branch = await branchAt(chatId, place, context);
    if (branch === null) throw NotFoundError.branch(place.branch ?? place.branchId ?? '', chatId);
    return headOf(branch, 'place', context);
  }
  const { messageId } = place;
  if (messageId == null) {
    const checkpoint = await checkpointAt(chatId, place, context);
    if (checkpoint === null) throw NotFoundError.checkpoint(place.checkpoint ?? place.checkpointId ?? '', chatId);
    return { name: null, end: found(await loaders.message.load({ chatId, id: checkpoint.messageId }), 'The message') };
  }
  const message = isPossibleId(messageId) ? await loaders.message.load({ chatId, id: messageId }) : null;
  if (message === null) throw NotFoundError.message(messageId);
  return { name: null, end: message };
}
