/**
 * The history of settings: every change of a value, by whom and by which hand. Rows are only ever
 * added. A setting that was never changed has version 1.
 */
import { derivedId, isId, newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import { closed, id, oneOf, text, time, Type } from '../http/index.ts'
import type { Caller, Static } from '../http/index.ts'
import type { Reader, Tx } from '../store/db.ts'
import { columnsOf, insertRow, tableOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { securityEntries } from './security-log.ts'

/** Whose hand it was: a person's, a program's, or that of the configuration file. */
export const HANDS = ['USER', 'API_KEY', 'FILE'] as const

const valueOf = (description: string) => Type.Unsafe<Json>({ description })

export const SettingChange = closed(
  {
    id: id(),
    key: text(200, 'Of the setting'),
    version: Type.Integer({ minimum: 2, description: 'Of the setting, after this change' }),
    before: valueOf('The value before'),
    after: valueOf('The value from then on'),
    kept_against: valueOf(
      'What the configuration file says, where somebody decided that the value stays; else null',
    ),
    changed_at: time(),
    changed_by: text(100, 'A user, an API key, or a part of the service'),
    hand: oneOf(HANDS, 'A person, a program, or the configuration file'),
  },
  { title: 'SettingChange' },
)
export type SettingChange = Static<typeof SettingChange>

const SETTING_CHANGES = tableOf('setting_changes', SettingChange, {
  inside: { workspace: id<WorkspaceId>(), of_version: Type.Integer() },
  computed: ['version'],
})
export const CHANGE_COLUMNS = columnsOf(SettingChange, {
  computed: { version: sql`of_version` },
})

/** What the record of a setting is called in events. */
export const settingId = (workspace: WorkspaceId, key: string): string =>
  derivedId(`${workspace} setting ${key}`, 1)

/** The last change of each setting that was ever changed. */
export async function lastChanges(
  reader: Reader,
  workspace: WorkspaceId,
): Promise<Map<string, SettingChange>> {
  const rows = await reader.query<SettingChange>(sql`
    select distinct on (key) ${CHANGE_COLUMNS}
    from setting_changes
    where workspace = ${workspace}
    order by key, of_version desc`)
  return new Map(rows.map((row) => [row.key, row]))
}

export type ChangedSetting = {
  key: string
  before: Json
  after: Json
  /** Of the configuration file, which somebody decided against. */
  kept_against?: Json
}

/**
 * Records what the caller has changed, in the history and in the security log. To be run under a
 * lock of the workspace, in the transaction in which it takes effect.
 */
export async function recordChanges(
  { workspace, by, api_key, source }: Caller,
  { tx, now }: { tx: Tx; now: number },
  changes: readonly ChangedSetting[],
): Promise<SettingChange[]> {
  if (changes.length === 0) return []
  const before = await lastChanges(tx, workspace)
  const hand = handOf(by, api_key !== undefined)
  const recorded: SettingChange[] = []
  for (const change of changes) {
    const row = {
      id: newId(now),
      key: change.key,
      version: (before.get(change.key)?.version ?? 1) + 1,
      before: change.before,
      after: change.after,
      kept_against: change.kept_against ?? null,
      changed_at: now,
      changed_by: by,
      hand,
    }
    const { version: of_version, ...fields } = row
    await tx.query(insertRow(SETTING_CHANGES, { workspace, of_version, ...fields }, { by, now }))
    recorded.push(row)
  }
  const details = detailsOf(changes)
  await tx.query(
    securityEntries(workspace, now, [{ kind: 'SETTINGS_CHANGED', actor: by, source, details }]),
  )
  return recorded
}

export function handOf(by: string, isProgram: boolean): SettingChange['hand'] {
  if (isProgram) return 'API_KEY'
  return isId(by) ? 'USER' : 'FILE'
}

function detailsOf(changes: readonly ChangedSetting[]): Record<string, unknown> {
  const kept = changes.filter((change) => change.kept_against !== undefined)
  return {
    before: Object.fromEntries(changes.map(({ key, before }) => [key, before])),
    after: Object.fromEntries(changes.map(({ key, after }) => [key, after])),
    ...(kept.length === 0
      ? {}
      : { kept_against: Object.fromEntries(kept.map((one) => [one.key, one.kept_against])) }),
  }
}
