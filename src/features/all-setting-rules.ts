/** Rules of several settings of a feature: a line each. */
import type { SettingRules } from '../settings/read-environment.js';
import type { Joined } from '../settings/setting.js';
import { auditRules } from './audit/settings.js';
import { fileRules } from './files/settings.js';
import { replicaRules } from './replicas/settings.js';
import { tokenRules } from './signed-tokens/settings.js';
import { documentRules } from './trusted-documents/settings.js';

const all = [auditRules, documentRules, replicaRules, tokenRules] as const;

export const rules: readonly SettingRules[] = [...all, fileRules];

/** Options that are not settings of their own. */
export type RuleOptions = Joined<ReturnType<(typeof all)[number]['optionsOf']>>;
