/** A server as a subject, called with documents over HTTP. */
import { timeOf } from '../measuring/measure.js';
import { wholeAnswer, withPost, type Post } from '../measuring/server.js';
import type { Size, Subject, TaskName } from './tasks.js';

type Read = Exclude<TaskName, 'saveSmall' | 'saveLarge'>;

/**
 * @param urls of its endpoints, one for each database
 * @param documents that read the large database
 * @param save saves a question and an answer
 */
export function withHttpSubject<T>(
  urls: Record<Size, string>,
  documents: Record<Read, string>,
  save: (post: Post, size: Size) => Promise<unknown>,
  measure: (subject: Subject) => Promise<T>,
): Promise<T> {
  return withPost(urls.small, (small) =>
    withPost(urls.large, (large) => {
      const run = (task: TaskName) => {
        if (task === 'saveSmall') return save(small, 'small');
        if (task === 'saveLarge') return save(large, 'large');
        return large(documents[task]);
      };
      return measure({
        answer: (task) => wholeAnswer(urls.large, documents[task as Read]),
        async times(task, count) {
          const times: number[] = [];
          for (let n = 0; n < count; n++) times.push(await timeOf(() => run(task)));
          return times;
        },
      });
    }),
  );
}
