/** Settings as records: each with its value, its version, who changed it last, and its drift. */
import {
  DEFAULT_SETTINGS,
  lastChanges,
  SETTING_NAMES,
  settingId,
  SETTINGS,
  settingsOf,
  userNames,
} from '../access/index.ts'
import type { Permission, SettingFacts, SettingName } from '../access/index.ts'
import { notFound } from '../core/errors.ts'
import type { VenueId, WorkspaceId } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import type { Reader } from '../store/db.ts'
import { CALENDAR_EXAMPLE, CalendarShape, readCalendars } from '../venues/index.ts'
import { readWords } from './settings-in-file.ts'
import type { FileWord } from './settings-in-file.ts'
import type { SettingRecord } from './settings.schema.ts'

/** Before the key of a bank. */
const CALENDAR = 'calendar.'
const CALENDARS_PERMISSION: Permission = 'settings.calendars.write'

export const calendarKey = (venue_key: string): string => `${CALENDAR}${venue_key}`

/** A setting of the workspace, or the calendar of a bank. */
export type KnownSetting = { key: string; facts: SettingFacts; value: Json; default: Json } & (
  | { name: SettingName }
  | { venue_id: VenueId }
)

/** Also of banks that are no longer configured, where they are asked for. */
export async function knownSettings(
  reader: Reader,
  workspace: WorkspaceId,
  { disabled = false } = {},
): Promise<KnownSetting[]> {
  const settings = await settingsOf(reader, workspace)
  const banks = await readCalendars(reader, workspace)
  const calendars = banks.filter(({ state }) => disabled || state !== 'DISABLED')
  return [
    ...SETTING_NAMES.map((name) => ({
      key: name,
      name,
      facts: SETTINGS[name],
      value: settings[name],
      default: DEFAULT_SETTINGS[name],
    })),
    ...calendars.map(({ venue_id, key, label, calendar }) => ({
      key: calendarKey(key),
      venue_id,
      facts: {
        title: `Calendar of ${label}`,
        schema: CalendarShape,
        unit: null,
        example: CALENDAR_EXAMPLE,
        permission: CALENDARS_PERMISSION,
      },
      value: calendar,
      default: null,
    })),
  ]
}

/** Throws 4004. */
export async function knownSetting(
  reader: Reader,
  workspace: WorkspaceId,
  key: string,
): Promise<KnownSetting> {
  const settings = await knownSettings(reader, workspace)
  const found = settings.find((setting) => setting.key === key)
  if (found === undefined) throw notFound('setting', key, 'key')
  return found
}

export async function readSettings(
  reader: Reader,
  workspace: WorkspaceId,
): Promise<SettingRecord[]> {
  const settings = await knownSettings(reader, workspace)
  const changes = await lastChanges(reader, workspace)
  const words = await readWords(reader, workspace)
  const authors = [...changes.values()].map((change) => change.changed_by)
  const names = await userNames(reader, workspace, authors)
  return settings.map((setting) => {
    const { key, facts, value } = setting
    const { title, schema, unit, example, permission, shown_as = null } = facts
    const change = changes.get(key)
    const word = words.get(key)
    return {
      id: settingId(workspace, key),
      key,
      title,
      description: schema.description ?? title,
      unit,
      schema: schema as Json,
      shown_as,
      example: example as Json,
      venue_id: 'venue_id' in setting ? setting.venue_id : null,
      default: setting.default,
      value,
      version: change?.version ?? 1,
      changed_at: change?.changed_at ?? null,
      changed_by: change?.changed_by ?? null,
      changed_by_name: names.get(change?.changed_by ?? '') ?? null,
      hand: change?.hand ?? null,
      permission,
      in_file: word?.named === true,
      file: word?.named === true ? word.value : null,
      drift: driftOf(word, value),
    }
  })
}

function driftOf(word: FileWord | undefined, record: Json): SettingRecord['drift'] {
  if (word === undefined || word.kept || word.differs_since === null) return null
  return { file: word.value, record, since: word.differs_since }
}

/** Throws 4004. */
export async function readSetting(
  reader: Reader,
  workspace: WorkspaceId,
  key: string,
): Promise<SettingRecord> {
  const found = (await readSettings(reader, workspace)).find((setting) => setting.key === key)
  if (found === undefined) throw notFound('setting', key, 'key')
  return found
}

export type SettingDrift = { key: string; file: Json; record: Json; since: number }

/** Where the configuration file says another value than the record, and nobody has decided. */
export async function settingDrifts(
  reader: Reader,
  workspace: WorkspaceId,
): Promise<SettingDrift[]> {
  const settings = await readSettings(reader, workspace)
  return settings.flatMap(({ key, drift }) => (drift === null ? [] : [{ key, ...drift }]))
}
