/** The values of an imported message: a UI message that keeps its original. */
import { messageData, type MessageData, type NodeContent } from '@parley/interchange/server';
import { checkJson, MAX_DATA_BYTES, UNDEFINED_FAULT } from '../../../conversation/bounds.js';
import { InvalidInputError } from '../../../conversation/errors.js';
import { fileReferences, referencesFault } from '../../../conversation/files/file-references.js';
import { messagePreview, shownText } from '../../../conversation/text/message-text.js';

export interface MessageValues extends Pick<MessageData, 'data' | 'leftOut'> {
  name: string;
  text: string;
  preview: string;
}

/**
 * @param id the message's new id
 * @param nodeId its id in the file
 */
export function messageValues(id: string, nodeId: string, content: NodeContent, source: string): MessageValues {
  const { message, data, leftOut } = messageData({ id, nodeId, content, source }, checked);
  const text = shownText(message);
  return { name: content.role, data, text, preview: messagePreview(text), leftOut };
}

/** Members that a reader set to undefined are omitted, as by JSON.stringify. */
function checked(value: unknown): string | { fault: string } {
  try {
    const data = checkJson(value, 'it', MAX_DATA_BYTES);
    const fault = referencesFault(fileReferences(data));
    return fault === null ? data : { fault: `it ${fault}` };
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    const { message: fault } = error;
    return fault === `it ${UNDEFINED_FAULT}` ? checked(JSON.parse(JSON.stringify(value))) : { fault };
  }
}
