/** A person or a program changes a setting. */
import {
  assertMeaning,
  isSameSetting,
  keptBrand,
  lastChanges,
  normalValue,
} from '../access/index.ts'
import type { Brand } from '../access/index.ts'
import type { Clock } from '../core/clock.ts'
import { permissionRequired, refuse } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { fieldCheck } from '../http/index.ts'
import type { Caller } from '../http/index.ts'
import { lockLane } from '../ledger/index.ts'
import type { Tx } from '../store/db.ts'
import { checkedCalendar } from '../venues/index.ts'
import type { Calendar } from '../venues/index.ts'
import { publishDrifts } from './drift-events.ts'
import { knownSetting, readSetting } from './setting-records.ts'
import type { KnownSetting } from './setting-records.ts'
import { putWord, readWords, wordAfterPut } from './settings-in-file.ts'
import type { FileWord } from './settings-in-file.ts'
import type { PutSettingBody, SettingRecord } from './settings.schema.ts'
import { writeSettings } from './write-settings.ts'
import type { SettingWrite } from './write-settings.ts'

/**
 * Gives a setting another value. The same value changes nothing, unless it is kept against the
 * configuration file. Throws 4004, 1003 without the permission of the setting, 3001 STALE_VERSION
 * or what is wrong with the value.
 */
export async function putSetting(
  caller: Caller,
  { tx, clock, permissions }: { tx: Tx; clock: Clock; permissions: ReadonlySet<string> },
  key: string,
  { value: given, version, keep_against_file = false }: PutSettingBody,
): Promise<SettingRecord> {
  const { workspace } = caller
  await lockLane(tx, workspace)
  const setting = await knownSetting(tx, workspace, key)
  const { permission } = setting.facts
  if (!permissions.has(permission)) throw permissionRequired(permission, setting.facts.title)
  const current = (await lastChanges(tx, workspace)).get(key)?.version ?? 1
  if (version !== undefined && version !== current)
    throw refuse('STALE_VERSION', 'version', `the setting has changed: its version is ${current}`)
  const value = await keptValue(caller, tx, setting, checkedValue(setting, given))
  const word = (await readWords(tx, workspace)).get(key)
  const after = word && wordAfterPut(word, { value, keeps: keep_against_file, now: clock.now() })
  await writeSettings(caller, { tx, clock }, writesOf(setting, value, { word, after }))
  if (after !== undefined) {
    await putWord(tx, { workspace, now: clock.now() }, after)
    await publishDrifts(caller, { tx, clock }, 'setting', [{ key, before: word, after }])
  }
  return readSetting(tx, workspace, key)
}

const checks = new WeakMap<object, (value: unknown) => void>()

function checkedValue(setting: KnownSetting, value: Json): Json {
  const { schema } = setting.facts
  const check = checks.get(schema) ?? fieldCheck('value', schema)
  checks.set(schema, check)
  check(value)
  if ('venue_id' in setting) return checkedCalendar(value as Calendar, 'value')
  assertMeaning(setting.name, value, 'value')
  return normalValue(setting.name, value)
}

/** A new logo is kept, and the value names it from then on. */
async function keptValue(
  { workspace }: Caller,
  tx: Tx,
  { key }: KnownSetting,
  value: Json,
): Promise<Json> {
  if (key !== 'brand') return value
  return keptBrand(tx, workspace, { brand: value as Brand, path: 'value' })
}

/** Nothing where nothing is another value, and nobody decided against the file. */
function writesOf(
  setting: KnownSetting,
  value: Json,
  { word, after }: { word: FileWord | undefined; after: FileWord | undefined },
): SettingWrite[] {
  const { key, value: before } = setting
  const isKept = after?.kept === true && word?.kept !== true
  if (!isKept && isSameSetting(setting.key, before, value)) return []
  const to = 'venue_id' in setting ? { venue_id: setting.venue_id } : { name: setting.name }
  return [{ key, before, after: value, to, ...(isKept ? { kept_against: after.value } : {}) }]
}
