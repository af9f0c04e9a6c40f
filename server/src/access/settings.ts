/** What a workspace decides for itself. Stored is only what differs from the defaults. */
import { Compile } from 'typebox/compile'
import type { Clock } from '../core/clock.ts'
import { decimal, format, tryDecimal } from '../core/decimal.ts'
import { ApiError, notFound, refuse } from '../core/errors.ts'
import { factorOf } from '../core/factor.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { canonicalJson } from '../core/json.ts'
import type { Json } from '../core/json.ts'
import type { Caller } from '../http/index.ts'
import { partOfCall } from '../store/calls.ts'
import { only } from '../store/db.ts'
import type { Reader, Tx } from '../store/db.ts'
import { markedRead, readOne } from '../store/reads.ts'
import { updateRow } from '../store/rows.ts'
import { raw, sql } from '../store/sql.ts'
import type { Brand } from './brand.schema.ts'
import { assertBrand, keptBrand } from './brand.ts'
import { assertGeneralLedger } from './general-ledger.schema.ts'
import type { GeneralLedger } from './general-ledger.schema.ts'
import { assertMailTemplates } from './mail-templates.schema.ts'
import type { MailTemplates } from './mail-templates.schema.ts'
import { recordChanges } from './setting-changes.ts'
import type { ChangedSetting, SettingChange } from './setting-changes.ts'
import { DEFAULT_SETTINGS, SETTING_NAMES, SETTINGS, settingsSchema } from './settings.schema.ts'
import type { SettingName, Settings } from './settings.schema.ts'
import { assertTimeZone } from './time-zones.ts'
import { WORKSPACES } from './workspaces.ts'

/** As a customer's category. */
const MAXIMUM_CATEGORY = 50

const check = Compile(settingsSchema)

function withDefaults(stored: Partial<Settings>): Settings {
  return {
    ...DEFAULT_SETTINGS,
    ...stored,
    margins: { ...DEFAULT_SETTINGS.margins, ...stored.margins },
    screening: { ...DEFAULT_SETTINGS.screening, ...stored.screening },
  }
}

/** Throws 4004 for an unknown workspace. */
export const settingsRead = (workspace: WorkspaceId) =>
  markedRead(
    raw('settings'),
    sql`workspaces where id = ${workspace}`,
    (rows: readonly { settings: Partial<Settings> }[]) => {
      const row = only(rows)
      if (row === undefined) throw notFound('workspace', workspace)
      return withDefaults(row.settings)
    },
  )

export const settingsOf = (reader: Reader, workspace: WorkspaceId): Promise<Settings> =>
  readOne(reader, settingsRead(workspace))

/**
 * Changes these settings, leaves the others, and records what is another value. Throws 3001 naming
 * what is not valid, 4004 for an unknown workspace.
 */
export async function putSettings(
  caller: Caller,
  tx: Tx,
  clock: Clock,
  changes: Partial<Settings>,
): Promise<Settings> {
  const now = clock.now()
  await recordChanges(caller, { tx, now }, await storeSettings(caller, { tx, now }, changes))
  return settingsOf(tx, caller.workspace)
}

type StoredSettings = { settings: Partial<Settings>; closed_until: number | null }

/** The same, but answers what is to be recorded. */
export async function storeSettings(
  { workspace, by }: Caller,
  { tx, now }: { tx: Tx; now: number },
  changes: Partial<Settings>,
): Promise<ChangedSetting[]> {
  const row = only(
    await tx.query<StoredSettings>(sql`
      select settings, closed_until
      from workspaces
      where id = ${workspace}
      for update`),
  )
  if (row === undefined) throw notFound('workspace', workspace)
  assertSettings(changes)
  assertStaysClosed(changes, row)
  const before = withDefaults(row.settings)
  const normal = await withLogo(tx, workspace, normalSettings(changes))
  const names = SETTING_NAMES.filter(
    (name) => normal[name] !== undefined && !isSameSetting(name, before[name], normal[name]),
  )
  if (names.length === 0) return []
  const settings = { ...row.settings, ...normal }
  await tx.query(updateRow(WORKSPACES, { where: { id: workspace }, set: { settings }, by, now }))
  if (names.includes('second_factor_roles')) await doubtAll(tx, workspace)
  return names.map((key) => ({ key, before: before[key], after: normal[key] as Json }))
}

/** What is closed opens again only with its period, by a reason. */
function assertStaysClosed(
  { open_period_from: from }: Partial<Settings>,
  { closed_until }: StoredSettings,
): void {
  if (from === undefined || closed_until === null || (from ?? -Infinity) >= closed_until) return
  throw refuse(
    'PERIOD_CLOSED',
    'settings.open_period_from',
    `the books are closed before ${new Date(closed_until).toISOString()}: reopen the period`,
  )
}

type OpenPeriodMove = { closed_until: number | null; open_period_from: number | null }

/** Closes the books up to a moment, or opens them again. Answers the open period of before. */
export async function moveOpenPeriod(
  caller: Caller,
  { tx, now }: { tx: Tx; now: number },
  moved: (from: number | null) => OpenPeriodMove,
): Promise<{ before: number | null; recorded: SettingChange[] }> {
  const { open_period_from: before } = await settingsOf(tx, caller.workspace)
  const { closed_until, open_period_from } = moved(before)
  await tx.query(sql`
    update workspaces
    set closed_until = ${closed_until}
    where id = ${caller.workspace}`)
  const changed = await storeSettings(caller, { tx, now }, { open_period_from })
  // The call closes a period: the entry of the setting is not its only one.
  const recorded = await partOfCall(() => recordChanges(caller, { tx, now }, changed))
  return { before, recorded }
}

/** Every process looks again at what the sessions of these users may do. */
async function doubtAll(tx: Tx, workspace: WorkspaceId): Promise<void> {
  await tx.query(sql`
    select 1
    from users
    where workspace = ${workspace}
    order by id
    for no key update`)
  await tx.query(sql`
    with next as (
      update access_epoch
      set epoch = epoch + 1
      returning epoch
    )
    update users
    set access_epoch = next.epoch
    from next
    where workspace = ${workspace}`)
}

/** Throws 3001 with every setting that is not valid. */
export function assertSettings(changes: Partial<Settings>): void {
  assertForm(withDefaults(changes))
  for (const name of SETTING_NAMES)
    if (changes[name] !== undefined) assertMeaning(name, changes[name], `settings.${name}`)
}

/**
 * What no schema says: factors are below 1, categories are such as a customer can have, zones
 * exist, mails have no placeholder that nothing fills, and lines are lines.
 */
export function assertMeaning(name: SettingName, value: unknown, path: string): void {
  if (name === 'default_risk' || name === 'slippage') factorOf(String(value), path)
  if (name === 'mail_time_zone') assertTimeZone(String(value), path)
  if (name === 'mail_templates') assertMailTemplates(value as MailTemplates, path)
  if (name === 'brand') assertBrand(value as Brand, path)
  if (name === 'general_ledger') assertGeneralLedger(value as GeneralLedger, path)
  if (name !== 'margins') return
  for (const [category, margin] of Object.entries(value as Settings['margins'])) {
    if (category.trim() === '' || category.length > MAXIMUM_CATEGORY)
      throw refuse(
        'FORMAT',
        path,
        `${path}: a category has a name of at most ${MAXIMUM_CATEGORY} characters`,
      )
    factorOf(margin, `${path}.${category}`)
  }
}

const normalText = (value: unknown): unknown =>
  typeof value === 'string' && tryDecimal(value) !== undefined ? format(decimal(value)) : value

/** Numbers in one form, so that equal ones compare as equal. */
export function normalSetting<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return normalText(value) as Value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, normalText(field)]),
  ) as Value
}

/** What is a number only by chance, such as a telephone number, stays as it was written. */
export const normalValue = <Value>(name: SettingName, value: Value): Value =>
  'shown_as' in SETTINGS[name] ? normalSetting(value) : value

async function withLogo(
  tx: Tx,
  workspace: WorkspaceId,
  settings: Partial<Settings>,
): Promise<Partial<Settings>> {
  const { brand } = settings
  if (brand === undefined) return settings
  return { ...settings, brand: await keptBrand(tx, workspace, { brand, path: 'settings.brand' }) }
}

const normalSettings = (settings: Partial<Settings>): Partial<Settings> =>
  Object.fromEntries(
    Object.entries(settings)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, normalValue(name as SettingName, value)]),
  )

/** Amounts are compared by value, all else as it is written. */
export function isSameSetting(key: string, one: unknown, other: unknown): boolean {
  const normal = (value: unknown): Json =>
    (key in SETTINGS ? normalValue(key as SettingName, value) : value) as Json
  return canonicalJson(normal(one)) === canonicalJson(normal(other))
}

function assertForm(settings: unknown): void {
  const errors = check.Errors(settings)
  if (errors.length === 0) return
  const details = errors.map((error) => {
    const path = `settings${error.instancePath.replaceAll('/', '.')}`
    return { path, code: 'FORMAT' as const, message: `${path} ${error.message}` }
  })
  throw new ApiError('BadRequest', details[0]?.message, details)
}
