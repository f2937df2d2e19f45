/** All formats that can be read. */
import { claudeCode } from './agents/claude-code.js';
import { continueSession } from './agents/continue.js';
import { codex, codexJson } from './agents/codex.js';
import { copilotChat, copilotChatLines } from './agents/copilot-chat.js';
import { geminiCli, geminiCliLines } from './agents/gemini-cli.js';
import { kimiCli } from './agents/kimi-cli.js';
import { langGraph } from './agents/langgraph.js';
import { opencode } from './agents/opencode.js';
import { pi } from './agents/pi.js';
import { qwenCode } from './agents/qwen-code.js';
import { chatGpt } from './chatgpt/chatgpt.js';
import { completions } from './datasets/completions.js';
import { oasstMessages, oasstTrees } from './datasets/oasst.js';
import { plainLines } from './datasets/plain-lines.js';
import { promptLogs } from './datasets/prompt-logs.js';
import { shareGpt } from './datasets/share-gpt.js';
import { assistantUi } from './frontends/assistant-ui.js';
import { bigAgi } from './frontends/big-agi.js';
import { chatbotUi } from './frontends/chatbot-ui.js';
import { chatbox } from './frontends/chatbox.js';
import { cherryStudio } from './frontends/cherry-studio.js';
import { libreChat } from './frontends/librechat.js';
import { llamaCpp, llamaCppLines } from './frontends/llama-cpp.js';
import { lmStudio } from './frontends/lm-studio.js';
import { lobeChat } from './frontends/lobe-chat.js';
import { openWebUi } from './frontends/open-webui.js';
import { sillyTavern } from './frontends/silly-tavern.js';
import { aiStudio } from './hosted/ai-studio.js';
import { claude } from './hosted/claude.js';
import { deepSeek } from './hosted/deepseek.js';
import { geminiTakeout } from './hosted/gemini-takeout.js';
import { grok } from './hosted/grok.js';
import { mistral } from './hosted/mistral.js';
import { qwen } from './hosted/qwen.js';
import type { Reader } from '../source-conversation.js';

export const READERS: readonly Reader[] = [
  chatGpt,
  claude,
  deepSeek,
  grok,
  aiStudio,
  geminiTakeout,
  mistral,
  qwen,
  libreChat,
  openWebUi,
  chatbotUi,
  bigAgi,
  lmStudio,
  lobeChat,
  cherryStudio,
  chatbox,
  llamaCpp,
  llamaCppLines,
  sillyTavern,
  assistantUi,
  oasstTrees,
  oasstMessages,
  shareGpt,
  completions,
  plainLines,
  promptLogs,
  langGraph,
  pi,
  claudeCode,
  qwenCode,
  codex,
  codexJson,
  geminiCli,
  geminiCliLines,
  opencode,
  kimiCli,
  continueSession,
  copilotChat,
  copilotChatLines,
];

export function readerNamed(name: string): Reader | undefined {
  return READERS.find((reader) => reader.name === name);
}
