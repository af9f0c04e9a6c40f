export { applyConfig, readConfig, workspaceOf } from './configuration.ts'
export type { ConfigApp } from './configuration.ts'
export { ConfigSchema } from './configuration.schema.ts'
export type { Config } from './configuration.schema.ts'
