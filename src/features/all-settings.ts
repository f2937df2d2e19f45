/** The settings of all features: a line each. Commands read them without the features, and published types include them. */
export { auditSettings } from './audit/settings.js';
export { demoSettings } from './demo/settings.js';
export { deletionSettings } from './deletion/settings.js';
export { draftSettings } from './drafts/settings.js';
export { fileSettings } from './files/settings.js';
export { mcpSettings } from './mcp/settings.js';
export { quotaSettings } from './quotas/settings.js';
export { replicaSettings } from './replicas/settings.js';
export { retentionSettings } from './retention/settings.js';
export { telemetrySettings } from './telemetry/settings.js';
export { webhookSettings } from './webhooks/settings.js';
