/** The database of a server, whose changes reach all subscribers: those of this process at once, others through a bus. */
import { setTimeout as pause } from 'node:timers/promises';
import { progressLog, type FillProgress, type Progress } from '../database/writing/progress.js';
import { openDatabase, type OpenDatabase, type OpenOptions } from '../database/opening/open.js';
import type { Host, OpenFeature, ServingFeature } from '../feature.js';
import { connectBus, openFeatures } from '../features/all-features.js';
import { memoryBus, type AnyWake, type Bus, type Wake } from '../events/bus.js';
import { ChatList } from '../events/chat-list.js';
import { Feeds } from '../events/feeds.js';
import { SHARE_OF_A_USER } from '../limits/limits.js';
import { Periodic } from '../scheduler/periodic.js';
import type { Settings } from './settings.js';

const REMOVAL_INTERVAL_MS = 60_000;
/** Chats that a removal could not remove, in the log. */
const MAX_REPORTED_FAILURES = 10;
/** Interval of the search for messages without a hash, which servers of an older version write. */
const DIGEST_CHECK_INTERVAL_MS = 60_000;
/** Interval of the search for titles without words. Until then, filters test these titles. */
const TITLE_CHECK_INTERVAL_MS = 10_000;

export interface LiveDatabase extends Pick<Host, 'isPublic'> {
  database: OpenDatabase;
  feeds: Feeds;
  chatList: ChatList;
  /** The features in the database, and those of this server. */
  opened: readonly OpenFeature[];
  features: readonly ServingFeature[];
  /** Publishes a change that another process of this server has committed. */
  onChange(wake: Wake): void;
  /** Deletes the remains of an erased user on this server, and notifies the others. */
  onErased(userId: string): Promise<void>;
  busState(): Bus['state'];
  /** The running fill of values that messages of older versions lack. */
  fill(): FillProgress | null;
  /** Ends all subscriptions and closes the database, which has the time of `shutdownTimeoutMs` for it. */
  close(): Promise<void>;
}

/** @throws Error when the database cannot be opened or migrated, or the bus cannot be used */
export async function openLiveDatabase(
  settings: Settings,
  onStatement: NonNullable<OpenOptions['onStatement']>,
  onMigration: (progress: Progress) => void,
  given: Pick<Host, 'registry' | 'auditor' | 'spool'>,
): Promise<LiveDatabase> {
  const { log, sweepIntervalMs, isDevelopment, reportSweepError: onError } = settings;
  const logProgress = progressLog(log);
  // No events are published before startup completes.
  let bus: Bus = memoryBus;
  let opened: OpenFeature[] = [];
  const serving: ServingFeature[] = [];
  const erased = async (userId: string) => void (await Promise.all(serving.map(async (each) => each.erased?.(userId))));
  const notifyFollowers = (wake: AnyWake) => {
    if ('noticeId' in wake) {
      for (const each of serving) each.onNotice?.(wake.noticeId);
      return;
    }
    if ('erasedUserId' in wake) return void erased(wake.erasedUserId).catch(onError);
    if ('partId' in wake) {
      for (const each of opened) each.onPart?.(wake);
      return;
    }
    feeds.wake(wake);
    chatList.wake(wake);
  };
  const onChange = (wake: Wake) => {
    feeds.wake(wake);
    chatList.wake(wake);
    bus.publish(wake);
    for (const each of serving) each.onChange?.();
  };
  const connections = {
    statementTimeouts: settings.statementTimeouts,
    shareOfAUser: isDevelopment ? 1 : SHARE_OF_A_USER,
    onStatement,
  };
  const database = await openDatabase({
    url: settings.databaseUrl,
    migrate: settings.migrateOnStart,
    isServing: true,
    ...connections,
    hooksOf: (connection) => (opened = openFeatures(settings)(connection)),
    onProgress: (progress) => {
      logProgress(progress);
      if (!progress.isDone) onMigration(progress);
    },
    signal: settings.signal,
    onChange,
    onPart: (change) => bus.publish(change),
    // Subscribers reconnect, and the server checks whether their position in the log still exists.
    onLost: (error) => {
      feeds.lose(error);
      chatList.lose(error);
    },
    log,
  });
  const { store } = database;
  const feeds = new Feeds({ log: database.log, sweepIntervalMs, onError });
  const chatList = new ChatList({ reads: database.list, sweepIntervalMs, onError });
  const isPublic = (document: string) => serving.some((each) => each.isPublic?.(document));
  const host = {
    ...given,
    databaseUrl: settings.databaseUrl,
    connections,
    store,
    isNew: database.isNew,
    sweepIntervalMs,
    limits: settings.limits,
    publish: (noticeId: string) => bus.publish({ noticeId }),
    isPublic,
    log,
    onError,
  };
  const closing = new AbortController();
  let fill: FillProgress | null = null;
  const onProgress = (progress: Progress) => {
    logProgress(progress);
    if ('fill' in progress) fill = progress;
  };
  const fillDigests = () => database.fillDigests({ signal: closing.signal, onProgress }).finally(() => (fill = null));
  const digests = new Periodic(fillDigests, { intervalMs: DIGEST_CHECK_INTERVAL_MS, onError });
  const titles = new Periodic(() => database.indexTitles(closing.signal), {
    intervalMs: TITLE_CHECK_INTERVAL_MS,
    onError,
  });
  const removeChats = async () => {
    let failures = 0;
    const onFailure = (failure: Error) => {
      if (++failures <= MAX_REPORTED_FAILURES) onError(failure);
    };
    const sweep = { signal: closing.signal, onFailure };
    for (const each of serving) await each.removeChats?.(sweep);
  };
  const removals = new Periodic(removeChats, { intervalMs: REMOVAL_INTERVAL_MS, onError });
  const close = async () => {
    feeds.close();
    chatList.close();
    closing.abort();
    await Promise.all([digests, titles, removals, ...serving].map(async (each) => each.close?.()));
    await bus.close();
    // A database that does not answer does not close either.
    await Promise.race([store.close(), pause(settings.shutdownTimeoutMs, undefined, { ref: false })]);
  };
  try {
    for (const each of opened) if (each.serve !== undefined) serving.push(await each.serve(host));
  } catch (error) {
    await close();
    throw error;
  }
  bus = await connectBus(settings, {
    onWake: notifyFollowers,
    onConnected: () => {
      void feeds.sweep();
      void chatList.sweep();
      for (const each of serving) void each.sweep?.();
    },
    log,
  });
  return {
    database,
    feeds,
    chatList,
    opened,
    features: serving,
    isPublic,
    onChange,
    onErased: (erasedUserId) => {
      bus.publish({ erasedUserId });
      return erased(erasedUserId);
    },
    busState: () => bus.state,
    fill: () => fill,
    close,
  };
}
