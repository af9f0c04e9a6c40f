import { CHANGE_COLUMNS } from '../access/index.ts'
import type { SettingChange } from '../access/index.ts'
import type { Clock } from '../core/clock.ts'
import { endpoint, listEndpoint, Type } from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import type { Db } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import { assertKeyFor } from './key-demands.ts'
import type { KeyHolder } from './key-demands.ts'
import { withNamesOf } from './named-changes.ts'
import { putSetting } from './put-setting.ts'
import { knownSetting, readSetting, readSettings } from './setting-records.ts'
import { NamedSettingChange, PutSetting, SettingParams, SettingRecord } from './settings.schema.ts'

const MAXIMUM_SETTINGS = 10_000
/** A logo in it counts a third more than its file. */
const MAXIMUM_BYTES = 131_072
const common = { tag: 'Settings', permission: 'settings.read' } as const

type SettingsApp = KeyHolder & { db: Db; clock: Clock }

export function settingsEndpoints(app: SettingsApp): Endpoint[] {
  return [...readEndpoints(app), historyEndpoint(app), writeEndpoint(app)]
}

function readEndpoints({ db }: { db: Db }): Endpoint[] {
  return [
    endpoint({
      ...common,
      method: 'GET',
      operation_id: 'listSettings',
      path: '/settings',
      origin: { ours: 'people see what the workspace decides for itself, and who said so' },
      summary: 'All settings',
      description:
        'Each with its value, its version, who changed it last, and `drift` where the ' +
        'configuration file says another value than the record, which counts.',
      effect: 'read',
      data: Type.Array(SettingRecord, { maxItems: MAXIMUM_SETTINGS }),
      handle: ({ principal }) => readSettings(db, principal.workspace),
    }),
    endpoint({
      ...common,
      method: 'GET',
      operation_id: 'getSetting',
      path: '/settings/:key',
      origin: { ours: 'one of them' },
      summary: 'One setting',
      effect: 'read',
      params: SettingParams,
      data: SettingRecord,
      handle: ({ params, principal }) => readSetting(db, principal.workspace, params.key),
    }),
  ]
}

function historyEndpoint({ db }: { db: Db }): Endpoint {
  return listEndpoint({
    ...common,
    operation_id: 'listSettingChanges',
    path: '/settings/:key/history',
    origin: { ours: 'auditors see what a setting was, and who changed it' },
    summary: 'The history of a setting',
    description: 'Every change with the value before and after it, newest first.',
    params: SettingParams,
    data: NamedSettingChange,
    async list({ params: { key }, principal: { workspace } }) {
      await knownSetting(db, workspace, key)
      return {
        select: sql`
          select ${CHANGE_COLUMNS}
          from setting_changes`,
        conditions: [sql`workspace = ${workspace}`, sql`key = ${key}`],
        key: { column: 'id', type: 'uuid' },
        enrich: (rows: SettingChange[]) => withNamesOf(db, workspace, rows),
      }
    },
  })
}

function writeEndpoint(app: SettingsApp): Endpoint {
  const { clock } = app
  return endpoint({
    ...common,
    method: 'PUT',
    operation_id: 'putSetting',
    confirmed: true,
    path: '/settings/:key',
    origin: { ours: 'people change settings without a file and without a restart' },
    summary: 'Change a setting',
    description:
      'It counts at once, in all processes. Each setting has a permission of its own, which ' +
      '`GET /settings` names: 1003 without it. To take what the configuration file says, put ' +
      "the drift's `file` as the value; to keep the record, put its value with " +
      '`keep_against_file`.',
    params: SettingParams,
    body: PutSetting,
    body_bytes: MAXIMUM_BYTES,
    example: { value: { DEFAULT: '0.005', PREMIUM: '0.0025', GOLD: '0.001' }, version: 1 },
    data: SettingRecord,
    effect: 'transaction',
    handle: ({ params, body, caller, principal }, tx) => {
      assertKeyFor(app, { key: params.key, value: body.value, path: 'value' })
      return putSetting(caller, { tx, clock, permissions: principal.permissions }, params.key, body)
    },
  })
}
