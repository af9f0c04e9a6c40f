export { readConfig } from './config-file.ts'
export { applyConfig, workspaceOf } from './configuration.ts'
export type { ConfigApp } from './configuration.ts'
export { ConfigSchema } from './configuration.schema.ts'
