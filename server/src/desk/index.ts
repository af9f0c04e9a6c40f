export { applyConfig, readConfig, workspaceOf } from './config.ts'
export type { ConfigApp } from './config.ts'
export { ConfigSchema } from './config.schema.ts'
export type { Config } from './config.schema.ts'
