/** How the configuration file is applied to settings, which people change too. */
import { assertSettings, keptBrand, lastChanges } from '../access/index.ts'
import type { Clock } from '../core/clock.ts'
import type { Json } from '../core/json.ts'
import type { Caller } from '../http/index.ts'
import type { Tx } from '../store/db.ts'
import { calendarIn, withCalendar } from '../venues/index.ts'
import type { Calendar, DeclaredVenue } from '../venues/index.ts'
import type { Config } from './configuration.schema.ts'
import { publishDrifts } from './drift-events.ts'
import { assertKeyFor } from './key-demands.ts'
import type { KeyHolder } from './key-demands.ts'
import { calendarKey, knownSettings } from './setting-records.ts'
import type { KnownSetting } from './setting-records.ts'
import { putWord, readWords, verdictOn, wordAfter, wordAfterSilence } from './settings-in-file.ts'
import type { FileWord, Verdict } from './settings-in-file.ts'
import { writeSettings } from './write-settings.ts'
import type { SettingWrite } from './write-settings.ts'

type Applying = { tx: Tx; clock: Clock; overwrite: boolean; keys: KeyHolder }

/**
 * Under the lane's lock, before the venues are written. Answers the file with the calendars that
 * count: where somebody has changed one, that one, unless `overwrite` says otherwise. Throws 3001.
 */
export async function applySettings(
  caller: Caller,
  { tx, clock, overwrite, keys }: Applying,
  config: Config,
): Promise<Config> {
  const { workspace } = caller
  const now = clock.now()
  assertSettings(config.settings ?? {})
  for (const [key, value] of Object.entries(config.settings ?? {}))
    assertKeyFor(keys, { key, value, path: `settings.${key}` })
  const said = wordsOf(config)
  const { brand } = config.settings ?? {}
  if (brand !== undefined)
    said.set('brand', await keptBrand(tx, workspace, { brand, path: 'settings.brand' }))
  const words = await readWords(tx, workspace)
  const changes = await lastChanges(tx, workspace)
  const writes: SettingWrite[] = []
  const next: FileWord[] = []
  const staying = new Map<string, Calendar>()
  const known = await knownSettings(tx, workspace, { disabled: true })
  const keyed = new Map(known.map((setting) => [setting.key, setting]))
  for (const [key, value] of said) {
    const setting = keyed.get(key)
    const word = words.get(key)
    const stand = { key, record: setting?.value ?? null, changed: changes.has(key), word }
    const found = setting === undefined ? 'SAME' : verdictOn(stand, value)
    const verdict: Verdict = found === 'DRIFT' && overwrite ? 'APPLY' : found
    if (setting !== undefined && verdict === 'APPLY') writes.push(writeOf(setting, value))
    if (setting !== undefined && 'venue_id' in setting && verdict === 'DRIFT')
      staying.set(key, setting.value as Calendar)
    next.push(wordAfter(stand, { said: value, verdict, now }))
  }
  next.push(...silent(words, said).map(wordAfterSilence))
  for (const word of next) await putWord(tx, { workspace, now }, word)
  await writeSettings(caller, { tx, clock }, writes)
  const turns = next.map((after) => ({ key: after.key, before: words.get(after.key), after }))
  await publishDrifts(caller, { tx, clock }, 'setting', turns)
  return { ...config, ...venuesWith(config, staying) }
}

/** What the file says of each setting. */
function wordsOf({ settings = {}, venues = [] }: Config): Map<string, Json> {
  const said = new Map<string, Json>(Object.entries(settings as Record<string, Json>))
  for (const venue of venues) {
    const calendar = venue.kind === 'BANK' ? calendarIn(venue) : undefined
    if (calendar !== undefined) said.set(calendarKey(venue.key), calendar)
  }
  return said
}

const silent = (words: ReadonlyMap<string, FileWord>, said: ReadonlyMap<string, Json>) =>
  [...words.values()].filter(({ key, named }) => named && !said.has(key))

function writeOf(setting: KnownSetting, after: Json): SettingWrite {
  const { key, value: before } = setting
  const to = 'name' in setting ? { name: setting.name } : ('WRITTEN_WITH_ITS_VENUE' as const)
  return { key, before, after, to }
}

function venuesWith({ venues }: Config, staying: ReadonlyMap<string, Calendar>) {
  if (venues === undefined) return {}
  return {
    venues: venues.map((venue): DeclaredVenue => {
      const calendar = staying.get(calendarKey(venue.key))
      return calendar === undefined
        ? venue
        : { ...venue, options: withCalendar(venue.options ?? {}, calendar) }
    }),
  }
}
