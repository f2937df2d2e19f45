/** The parts of the first page that load after the others. */
import type { ChatItem } from '@parley/client';
import type { ReactNode } from 'react';
import { Miniature } from '../miniature/miniature.js';
import { usePictures } from '../miniature/use-pictures.js';
import { Cards } from './cards.js';
import { usePaced } from './use-paced.js';
import { Writing } from './writing.js';

export { Figures } from './figures.js';

const PICTURE = { width: 290, height: 76 };

/** The recent chats with pictures of their graphs, and the chats that are being answered. */
export function PicturedCards({ chats: current }: { chats: readonly ChatItem[] }): ReactNode {
  const chats = usePaced(current);
  const pictures = usePictures(chats);
  const pictureOf = ({ id }: ChatItem) => {
    const picture = pictures.get(id);
    return picture && <Miniature {...PICTURE} chains={picture.chains} headId={picture.headId} />;
  };
  const stateOf = ({ id }: ChatItem) => <Writing chatId={id} />;
  return <Cards {...{ chats, pictureOf, stateOf }} />;
}
