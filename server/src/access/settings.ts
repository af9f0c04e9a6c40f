/** What a workspace decides for itself. Stored is only what differs from the defaults. */
import { Compile } from 'typebox/compile'
import type { Clock } from '../core/clock.ts'
import { ApiError, notFound } from '../core/errors.ts'
import { factorOf } from '../core/factor.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { canonicalJson } from '../core/json.ts'
import type { Json } from '../core/json.ts'
import {
  closed,
  flag,
  integer,
  nullable,
  notNegativeText,
  time,
  Type,
  oneOf,
} from '../http/index.ts'
import type { Caller, Static } from '../http/index.ts'
import { only } from '../store/db.ts'
import type { Reader, Tx } from '../store/db.ts'
import { markedRead, readOne } from '../store/reads.ts'
import { updateRow } from '../store/rows.ts'
import { raw, sql } from '../store/sql.ts'
import { securityEntries } from './security-log.ts'
import { WORKSPACES } from './workspaces.ts'

const MAXIMUM_KEPT_DAYS = 36_525
/**
 * Five years, one or two of them leap years. Directive (EU) 2015/849, Article 40, and Regulation
 * (EU) 2024/1624, Article 77: records are kept so long after the end of the relationship.
 */
const FIVE_YEARS_DAYS = 1_827

export const settingsSchema = closed(
  {
    compliance: flag('New assignments wait for a decision'),
    fee_borne_by: oneOf(['HOUSE', 'CUSTOMER'], 'Who pays the network fee of a customer withdrawal'),
    margins: Type.Object(
      { DEFAULT: notNegativeText(), PREMIUM: notNegativeText() },
      {
        additionalProperties: notNegativeText(),
        description: 'Margin factor by customer category; further categories may be added',
      },
    ),
    default_risk: notNegativeText(
      'Risk factor of a firm quote while there is too little data to compute one',
    ),
    slippage: notNegativeText('Largest distance of a price from the top of the book, as a factor'),
    reference_deviation: notNegativeText(
      'Largest distance of a route price from the market data, as a factor',
    ),
    job_fee_share: notNegativeText(
      'Largest fee of a transfer job as a share of its quantity: 0.1 is a tenth',
    ),
    open_period_from: nullable(time('Earliest value date that may be booked; null: no limit')),
    personal_data_kept_days: integer(
      0,
      MAXIMUM_KEPT_DAYS,
      'Days from the end of the relationship with a customer, or from the last movement if that ' +
        'is later, before the personal data may be erased',
    ),
  },
  { title: 'Settings' },
)

export type Settings = Omit<Static<typeof settingsSchema>, 'margins'> & {
  margins: { DEFAULT: string; PREMIUM: string; [category: string]: string }
}

export const DEFAULT_SETTINGS: Settings = {
  compliance: false,
  fee_borne_by: 'HOUSE',
  margins: { DEFAULT: '0.005', PREMIUM: '0.0025' },
  default_risk: '0.001',
  slippage: '0.01',
  reference_deviation: '0.05',
  job_fee_share: '0.1',
  open_period_from: null,
  personal_data_kept_days: FIVE_YEARS_DAYS,
}

const check = Compile(settingsSchema)

function withDefaults(stored: Partial<Settings>): Settings {
  return {
    ...DEFAULT_SETTINGS,
    ...stored,
    margins: { ...DEFAULT_SETTINGS.margins, ...stored.margins },
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
 * Changes these settings and leaves the others. Throws 3001 naming what is not valid, 4004 for an
 * unknown workspace.
 */
export async function putSettings(
  { workspace, by, source }: Caller,
  tx: Tx,
  clock: Clock,
  changes: Partial<Settings>,
): Promise<Settings> {
  const row = only(
    await tx.query<{ settings: Partial<Settings> }>(sql`
      select settings
      from workspaces
      where id = ${workspace}
      for update`),
  )
  if (row === undefined) throw notFound('workspace', workspace)
  const settings = { ...row.settings, ...changes }
  assertSettings(withDefaults(settings))
  assertFactors(withDefaults(settings))
  const now = clock.now()
  await tx.query(updateRow(WORKSPACES, { where: { id: workspace }, set: { settings }, by, now }))
  const details = differenceOf(withDefaults(row.settings), withDefaults(settings))
  if (details !== undefined)
    await tx.query(
      securityEntries(workspace, now, [{ kind: 'SETTINGS_CHANGED', actor: by, source, details }]),
    )
  return withDefaults(settings)
}

function differenceOf(
  before: Settings,
  after: Settings,
): { before: Partial<Settings>; after: Partial<Settings> } | undefined {
  const names = (Object.keys(after) as (keyof Settings)[]).filter(
    (name) => canonicalJson(before[name] as Json) !== canonicalJson(after[name] as Json),
  )
  if (names.length === 0) return undefined
  const some = (settings: Settings): Partial<Settings> =>
    Object.fromEntries(names.map((name) => [name, settings[name]]))
  return { before: some(before), after: some(after) }
}

function assertFactors({ default_risk, slippage, margins }: Settings): void {
  const factors = {
    default_risk,
    slippage,
    ...Object.fromEntries(
      Object.entries(margins).map(([category, margin]) => [`margins.${category}`, margin]),
    ),
  }
  for (const [name, factor] of Object.entries(factors)) factorOf(factor, `settings.${name}`)
}

function assertSettings(settings: unknown): void {
  const errors = check.Errors(settings)
  if (errors.length === 0) return
  const details = errors.map((error) => {
    const path = `settings${error.instancePath.replaceAll('/', '.')}`
    return { path, code: 'FORMAT' as const, message: `${path} ${error.message}` }
  })
  throw new ApiError('BadRequest', details[0]?.message, details)
}
