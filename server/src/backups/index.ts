/**
 * Backups of the embedded database: taken while it runs, verified by a server beside it, and put
 * back. A backup is PostgreSQL's own base backup with a manifest that says what the books must hold
 * (docs/decisions/0033-backups.md).
 */
export { DATA_COMMANDS } from './commands.ts'
export type { DataCommand } from './commands.ts'
export { backupsIn } from './folders.ts'
export type { Backup } from './folders.ts'
