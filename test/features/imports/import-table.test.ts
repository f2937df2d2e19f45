/** Each row of the table in docs/import.md, on a file of the format. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ImportReport } from '../../../src/features/imports/conversations/import-report.js';
import { READERS } from '@parley/interchange/server';
import { databaseForAll } from '../../support/database/database-scope.js';
import { documentedFormats, phrasesOf } from './documented-table.js';
import { importContent, type ImportedMessage } from './imported-chats.js';
import { sampleNames, SAMPLES_FOLDER } from './readers/sample-graphs.js';

const database = databaseForAll();

interface SeenChat {
  title: string | null;
  createdAt: number;
  metadata: { import: Record<string, unknown> };
  branches: number;
  messages: { name: string; createdAt: number; data: ImportedMessage['data'] }[];
}

interface Seen {
  chats: SeenChat[];
  report: ImportReport;
  parts: { type: string; [member: string]: unknown }[];
}

type Check = (seen: Seen) => void;

/** The case for a phrase of the last column: a sample with one replaced text, and its expectation. */
interface Case {
  sample: string;
  put?: [instead: string, text: string];
  /** Values of the metadata that no part contains. */
  left?: string;
  check?: Check;
}

const left = (sample: string, instead: string, text: string, marker = 'KEPT'): Case => {
  return { sample, put: [instead, text], left: marker };
};
const shown = (sample: string, check: Check, put?: Case['put']): Case => ({
  sample,
  check,
  ...(put && { put }),
});

const withoutTimes: Check = ({ chats }) => {
  const times = chats.flatMap(({ createdAt, messages }) => [createdAt, ...messages.map((each) => each.createdAt)]);
  expect(Math.min(...times)).toBeGreaterThan(Date.now() - 600_000);
  const ids = chats[0]?.messages.map(({ data }) => data.metadata['id']).filter((id) => id !== 'system');
  expect(ids).toEqual(ids?.map((_, n) => String(n + 1)));
};
const dataPart = (type: string, text: string) => (seen: Seen) =>
  expect(JSON.stringify(seen.parts.filter((part) => part.type === type))).toContain(text);
const file = (url: string) => (seen: Seen) =>
  expect(seen.parts.filter(({ type }) => type === 'file').map((part) => part['url'])).toContain(url);

const WIDGET = '"content_references": [{"type": "sports_schedule", "matched_text": "KEPT"},';
const OWN_FILE = '"files": [{"id": "KEPT", "type": "doc", "url": "/api/v1/files/KEPT"}]';

/** The phrases of the last column with a case for each, by the formats of the row. */
const ROWS: Record<string, Record<string, Case>> = {
  chatgpt: {
    widgets: left('chatgpt.json', '"content_references": [', WIDGET),
    weights: left('chatgpt.json', '"weight": 1', '"weight": 0.25', '"weight":0.25'),
    'files that no zip has are pointers': shown('chatgpt.json', (seen) => {
      file('sediment://file_1')(seen);
      dataPart('data-real_time_user_audio_video_asset_pointer', 'sediment://audio_1')(seen);
    }),
  },
  claude: {
    'times of blocks': left('claude.json', '"type": "thinking",', '"type": "thinking", "start_timestamp": "KEPT",'),
    'files are links to claude.ai': shown('claude-api.json', file('https://claude.ai/api/o/files/f/preview')),
  },
  deepseek: {
    'the fragments give the author, in 2025 the position': shown('deepseek-2025.json', ({ chats }) => {
      expect(chats[0]?.messages.map(({ name }) => name)).toEqual(['user', 'assistant', 'user']);
    }),
    'files are data parts': shown('deepseek.json', dataPart('data-file', 'KEPT'), [
      '"files": []',
      '"files": [{"id": "KEPT"}]',
    ]),
  },
  grok: {
    steps: left('grok.json', '"thinking_trace": null', '"thinking_trace": null, "steps": ["KEPT"]'),
    queries: left('grok.json', '"thinking_trace": null', '"thinking_trace": null, "query": "KEPT"'),
  },
  'ai-studio': {
    'settings of the run': left('ai-studio.json', '"temperature": 1', '"temperature": 0.75', '"temperature":0.75'),
    'files in Drive are data parts with their ids': shown('ai-studio.json', dataPart('data-driveImage', 'KEPT'), [
      '"text": "The longest river?"',
      '"driveImage": {"id": "KEPT"}',
    ]),
  },
  'gemini-takeout': {
    'the HTML of answers, which become Markdown': left('gemini-takeout.json', '', '', '<b>small</b>'),
    'Takeout has no threads: each prompt becomes a chat': shown('gemini-takeout.json', ({ chats }) =>
      expect(chats.map(({ title }) => title).sort()).toEqual(['Used an Assistant feature', 'what is a wren?']),
    ),
  },
  mistral: {
    reactions: left('mistral.jsonl', '"reaction": "neutral"', '"reaction": "KEPT"'),
    references: left('mistral.jsonl', '"quotes": []', '"quotes": [], "references": ["KEPT"]'),
    'canvases and quotes are data parts': shown('mistral.jsonl', dataPart('data-canvas', 'KEPT'), [
      '"canvas": []',
      '"canvas": [{"content": "KEPT"}]',
    ]),
  },
  qwen: { usage: left('qwen.json', '"model": "qwen3-max"', '"model": "qwen3-max", "usage": {"total": "KEPT"}') },
  librechat: {
    costs: left('librechat-tree.json', '"text": "Hot."', '"text": "Hot.", "tokenCount": 777', '"tokenCount":777'),
    'files that lie on its server are data parts': shown(
      'librechat-tree.json',
      dataPart('data-file', '/images/KEPT.png'),
      [
        '"text": "Hot."',
        '"text": "Hot.", "files": [{"file_id": "f", "type": "image/png", "filepath": "/images/KEPT.png"}]',
      ],
    ),
  },
  'open-webui': {
    usage: left('open-webui-chat.json', '"done": true', '"done": true, "usage": {"total": "KEPT"}'),
    status: left('open-webui-chat.json', '"done": true', '"done": true, "statusHistory": [{"action": "KEPT"}]'),
    'files that lie on its server are data parts': shown(
      'open-webui-chat.json',
      dataPart('data-file', '/api/v1/files/KEPT'),
      ['"done": true', `"done": true, ${OWN_FILE}`],
    ),
  },
  'chatbot-ui': { 'it has neither times nor ids of messages': shown('chatbot-ui.json', withoutTimes) },
  'big-agi': {
    'files are data parts': shown('big-agi-2.json', dataPart('data-doc', 'Red breast.')),
  },
  'lm-studio': {
    'it has no times of messages': shown('lm-studio.json', ({ chats }) => {
      expect(new Set(chats[0]?.messages.map(({ createdAt }) => createdAt)).size).toBe(1);
    }),
    statistics: left('lm-studio.json', '"tokensPerSecond": 30', '"tokensPerSecond": "KEPT"'),
    'files are data parts': shown('lm-studio.json', dataPart('data-file', '1.png')),
  },
  'lobe-chat': {
    errors: left('lobe-chat.json', '"content": "At noon."', '"content": "At noon.", "error": {"type": "KEPT"}'),
    translations: left('lobe-chat.json', '"model": "gpt-5"', '"model": "gpt-5", "translate": {"content": "KEPT"}'),
  },
  'cherry-studio': {
    metrics: left('cherry-studio.json', '"foldSelected": true', '"foldSelected": true, "metrics": {"ms": "KEPT"}'),
    'files are data parts': shown('cherry-studio.json', dataPart('data-file', 'moss.pdf')),
  },
  chatbox: {
    settings: left('chatbox.json', '"type": "chat"', '"type": "chat", "settings": {"temperature": "KEPT"}'),
    'images are data parts with their keys': shown('chatbox.json', dataPart('data-image', 'picture:notes.txt')),
  },
  'llama-cpp llama-cpp-lines': {
    timings: left(
      'llama-cpp.json',
      '"thinking": "Short."',
      '"thinking": "Short.", "timings": {"predicted_ms": "KEPT"}',
    ),
    'attachments that are text are data parts': shown('llama-cpp.json', dataPart('data-extra', 'KEPT'), [
      '"thinking": "Short."',
      '"thinking": "Short.", "extra": [{"type": "textFile", "name": "KEPT"}]',
    ]),
  },
  'silly-tavern': {
    'data of its extensions': left('silly-tavern.jsonl', '"extra": {}', '"extra": {"api": "KEPT"}'),
    'files that lie on its server are data parts': shown('silly-tavern.jsonl', dataPart('data-file', '/KEPT.png'), [
      '"extra": {}',
      '"extra": {"image": "/KEPT.png"}',
    ]),
  },
  'assistant-ui': {},
  'oasst oasst-messages': {
    labels: left('oasst-trees.jsonl', '"lang": "en"', '"lang": "en", "labels": {"toxicity": "KEPT"}'),
    'counts of reviews': left(
      'oasst-messages.jsonl',
      '"lang": "en"',
      '"lang": "en", "review_count": 77',
      '"review_count":77',
    ),
    'trees have no times': shown('oasst-trees.jsonl', ({ chats }) =>
      expect(chats[0]?.createdAt).toBeGreaterThan(Date.now() - 600_000),
    ),
  },
  sharegpt: { 'ShareGPT has neither times nor ids of messages': shown('sharegpt.jsonl', withoutTimes) },
  completions: { 'most files have neither times nor ids': shown('completions.jsonl', withoutTimes) },
  lines: {},
  'prompt-logs': {
    durations: left('llm-logs.jsonl', '"duration_ms":800', '"duration_ms":777', '"duration_ms":777'),
    ratings: left('anything-llm.jsonl', '"rating":"GOOD"', '"rating":"KEPT"'),
  },
  langgraph: {
    'all but messages of older states': shown('langgraph.json', ({ chats }) =>
      expect(chats[0]?.metadata.import).toMatchObject({ original: { values: { topic: 'x' }, metadata: { step: 5 } } }),
    ),
  },
  pi: { 'changes of the model and the like, with the chat': left('pi.jsonl', '"modelId": "m2"', '"modelId": "KEPT"') },
  'claude-code': {
    usage: left('claude-code.jsonl', '"output_tokens": 7', '"output_tokens": "KEPT"'),
    'metadata of the session, which are omitted and counted': shown('claude-code.jsonl', ({ report }) =>
      expect(report.warnings.kept.join()).toContain('contain no message: they are left out'),
    ),
  },
  'qwen-code': {
    tokens: left('qwen-code.jsonl', '"totalTokenCount":120', '"totalTokenCount":"KEPT"'),
    'metadata of the session, which are omitted and counted': shown('qwen-code.jsonl', ({ report }) =>
      expect(report.warnings.kept.join()).toContain('contain no message: they are left out'),
    ),
  },
  'codex codex-json': {
    'events that repeat the items are omitted and counted': shown('codex.jsonl', ({ report }) =>
      expect(report.warnings.kept.join()).toContain('contain no message: they are left out'),
    ),
  },
  'gemini-cli gemini-cli-lines': {
    tokens: left('gemini-cli.json', '"model": "gemini-3"', '"model": "gemini-3", "tokens": {"input": "KEPT"}'),
  },
  opencode: {
    costs: left('opencode.json', '"modelID": "m"', '"modelID": "m", "cost": "KEPT"'),
    'snapshots and patches are data parts': shown('opencode.json', dataPart('data-patch', 'KEPT'), [
      '"type": "step-start"',
      '"type": "patch", "hash": "KEPT"',
    ]),
  },
  'kimi-cli': { 'it has neither times nor ids': shown('kimi-cli.jsonl', withoutTimes) },
  continue: {
    'it has no times': shown('continue.json', ({ chats }) =>
      expect(chats[0]?.createdAt).toBeGreaterThan(Date.now() - 600_000),
    ),
    'logs of prompts': left('continue.json', '"prompt": "notes.txt"', '"prompt": "KEPT"'),
    'context is a data part': shown('continue.json', dataPart('data-context', 'KEPT'), [
      '"content": "notes.txt"',
      '"content": "KEPT"',
    ]),
  },
  'copilot-chat copilot-chat-lines': {
    timings: left('copilot-chat.json', '"totalElapsed": 900', '"totalElapsed": "KEPT"'),
    'edits of files are data parts': shown('copilot-chat.json', dataPart('data-textEditGroup', 'config.ts')),
  },
};

const documented = documentedFormats('import.md', 'Format, and its `--format`');

async function importCase(user: string, { sample, put }: Case): Promise<Seen> {
  const text = readFileSync(join(SAMPLES_FOLDER, sample), 'utf8');
  if (put !== undefined) expect(text).toContain(put[0]);
  const report = await importContent(database, put === undefined ? text : text.replace(...put), user);
  expect(report.failures.kept).toEqual([]);
  const rows = await database.allRows();
  const chats = rows.chats
    .filter(({ userId }) => userId === user)
    .map(({ id, title, createdAt, metadata }): SeenChat => {
      const messages = rows.messages.filter(({ chatId }) => chatId === id).sort((one, other) => one.seq - other.seq);
      return {
        title,
        createdAt,
        metadata: JSON.parse(metadata) as SeenChat['metadata'],
        branches: rows.branches.filter(({ chatId }) => chatId === id).length,
        messages: messages.map((row) => ({ ...row, data: JSON.parse(row.data) as ImportedMessage['data'] })),
      };
    });
  return { chats, report, parts: chats.flatMap(({ messages }) => messages.flatMap(({ data }) => data.parts)) };
}

describe('the table of import formats', () => {
  it('has every format and a test of each documented loss', () => {
    expect(documented.flatMap(({ names }) => names).sort()).toEqual(READERS.map(({ name }) => name).sort());
    const said = documented.map(({ names, cells }) => [names.join(' '), phrasesOf(cells[2])]);
    expect(said).toEqual(Object.entries(ROWS).map(([names, phrases]) => [names, Object.keys(phrases)]));
  });

  it('is correct about forks', async () => {
    const forked = new Set<unknown>();
    for (const sample of sampleNames()) {
      for (const { metadata, branches } of (await importCase(`all of ${sample}`, { sample })).chats) {
        if (branches > 1) forked.add(metadata.import['source']);
      }
    }
    expect(documented.map(({ names, cells }) => [names[0], cells[1]])).toEqual(
      documented.map(({ names }) => [names[0], forked.has(names[0]) ? 'yes' : 'no']),
    );
  });

  const cases = Object.entries(ROWS).flatMap(([names, phrases]) =>
    Object.entries(phrases).map(([phrase, one]) => ({ names, phrase, one })),
  );
  it.each(cases)('is correct about $names: $phrase', async ({ names, phrase, one }) => {
    const seen = await importCase(`${names}: ${phrase}`, one);
    if (one.left !== undefined) {
      const metadata = seen.chats.flatMap((chat) => [chat.metadata, ...chat.messages.map(({ data }) => data.metadata)]);
      expect(JSON.stringify(metadata)).toContain(one.left);
      expect(JSON.stringify(seen.parts)).not.toContain(one.left);
    }
    one.check?.(seen);
  });
});
