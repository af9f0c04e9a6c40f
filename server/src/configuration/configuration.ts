/**
 * The configuration file, applied to its workspace. Applying is idempotent and finds its entries
 * again by their keys; an entry that has not changed in the file leaves alone what people changed
 * since. What the file no longer names: venues are disabled, price routes switched off; wallets and
 * treasury routes stay.
 */
import { appliedSections, recordConfiguration } from '../access/index.ts'
import type { Clock } from '../core/clock.ts'
import { refuse } from '../core/errors.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { workerCaller } from '../http/index.ts'
import type { Caller } from '../http/index.ts'
import { lockLane, openVenueAccounts, putAsset } from '../ledger/index.ts'
import { applyAggregator } from '../market-data/index.ts'
import { only } from '../store/db.ts'
import type { Reader, Tx } from '../store/db.ts'
import { insideOf } from '../store/inside.ts'
import { sql } from '../store/sql.ts'
import { putTasks } from '../store/tasks.ts'
import { applyPriceRoutes } from '../trading/index.ts'
import type { TreasuryApp } from '../treasury/index.ts'
import { problemsOf, problemsOfTerms, putVenues } from '../venues/index.ts'
import type { VenueRecord } from '../venues/index.ts'
import { invalidConfig } from './config-file.ts'
import type { Config } from './configuration.schema.ts'
import { applyRoute, applyWallet, Entries, hashOfDeclared } from './entries.ts'
import type { KeyHolder } from './key-demands.ts'
import { assertPaymentMayChange } from './payment-change.ts'
import { declarationDrifts } from './declaration-records.ts'
import { mergeDeclarations } from './file-declarations.ts'
import type { Merged } from './file-declarations.ts'
import { applySettings } from './file-settings.ts'
import { withNames } from './places.ts'
import { problemsOfReferences } from './references.ts'
import { NotYet, Rehearsal } from './rehearsal.ts'
import { settingDrifts } from './setting-records.ts'
import type { SettingDrift } from './setting-records.ts'
import { tasksOfVenues } from './venue-tasks.ts'
import { venuesToPut } from './venue-terms.ts'

const BY = 'configuration'

export type ConfigApp = TreasuryApp &
  KeyHolder & {
    clock: Clock
    /** Kinds of due work that every workspace has. */
    workspace_tasks: readonly string[]
  }

/** The workspace that the file is for. */
export async function workspaceOf(reader: Reader, config: Config): Promise<WorkspaceId> {
  const row = only(
    await reader.query<{ id: WorkspaceId }>(
      config.workspace === undefined
        ? sql`
          select id
          from workspaces
          order by id
          limit 1`
        : sql`
          select id
          from workspaces
          where name = ${config.workspace}`,
    ),
  )
  if (row === undefined)
    throw refuse(
      'NOT_FOUND',
      'workspace',
      config.workspace === undefined
        ? 'there is no workspace yet'
        : `there is no workspace named ${config.workspace}`,
    )
  return row.id
}

/**
 * Wholly or not at all, in one transaction. Throws 3001 with a line for each entry that is wrong;
 * then nothing has changed. Answers where a setting is another one than the file says, because
 * somebody has changed it since, or something else is declared. With `overwrite` the file counts
 * there too, and so it does with `overwrite_declarations` for what is declared.
 */
export async function applyConfig(
  app: ConfigApp,
  workspace: WorkspaceId,
  config: Config,
  { overwrite = false, overwrite_declarations = false } = {},
): Promise<SettingDrift[]> {
  const rehearsal = new Rehearsal(app.venues)
  const hands = { overwrite, overwrite_declarations }
  try {
    for (let applied = false; !applied;)
      applied = await app.db
        .tx((tx) => applyInside(tx, { app, workspace, config, rehearsal, ...hands }))
        .then(
          () => true,
          async (error: unknown) => {
            if (error instanceof NotYet && (await rehearsal.provide())) return false
            throw error
          },
        )
  } finally {
    await rehearsal.close()
  }
  return [
    ...(await settingDrifts(app.db, workspace)),
    ...(await declarationDrifts(app.db, workspace)),
  ]
}

type Application = {
  app: ConfigApp
  workspace: WorkspaceId
  config: Config
  rehearsal: Rehearsal
} & Overwriting

type Overwriting = { overwrite: boolean; overwrite_declarations: boolean }

async function applyInside(
  tx: Tx,
  { app, workspace, config, rehearsal, ...hands }: Application,
): Promise<void> {
  const { clock } = app
  const caller = workerCaller(workspace, BY)
  // First of all: what counts is the file, where nobody has declared something else.
  await lockLane(tx, workspace)
  const overwrite = hands.overwrite_declarations
  const merged = await mergeDeclarations(caller, { tx, clock, overwrite }, config)
  const inside = {
    ...app,
    db: insideOf(tx),
    venues: { ...app.venues, ...rehearsal.inside(tx) },
  }
  const inFile = (_key: string, index: number, section: string) =>
    index < ((config[section as keyof Config] as unknown[] | undefined) ?? []).length
      ? undefined
      : _key
  const venues = await withNames(merged.keys, inFile, async () => {
    assertWhole(merged.config)
    return applyVenues(caller, { tx, clock, overwrite: hands.overwrite, keys: app }, merged)
  })
  const entries = new Entries(tx)
  const refused = new Set<string>()
  for (const [index, wallet] of (config.wallets ?? []).entries()) {
    const apply = () => applyWallet(caller, { tx, clock }, wallet, venues)
    if (!(await entries.apply(`wallets[${index}]`, apply))) refused.add(wallet.key)
  }
  for (const [index, route] of (config.routes ?? []).entries())
    // Of a route whose wallet is wrong nothing more can be told.
    if (!refused.has(route.from) && !refused.has(route.to))
      await entries.apply(`routes[${index}]`, () => applyRoute(caller, inside, route))
  await entries.apply('', () =>
    withNames(merged.keys, inFile, () =>
      applyPriceRoutes(caller, { tx, clock }, merged.config.price_routes ?? [], venues),
    ),
  )
  entries.assertRight()
  // Only now: which movements an opening balance contains depends on the wallets.
  await putTasks(tx, tasksOf(app, workspace, [...venues.values()]))
  await recordConfiguration(caller, { tx, clock }, sectionsOf(config))
}

/** Under the lane's lock: settings, assets, the aggregator and the venues. */
async function applyVenues(
  caller: Caller,
  { tx, clock, ...applying }: Parameters<typeof applySettings>[1],
  { config: declared, judged }: Merged,
): Promise<Map<string, VenueRecord>> {
  const { workspace } = caller
  await assertPaymentMayChange(tx, workspace, declared.venues ?? [])
  const config = await applySettings(caller, { tx, clock, ...applying }, declared)
  for (const { code, label, kind, scale, circulating_supply = null } of config.assets ?? [])
    await putAsset(tx, workspace, { code, label, kind, scale, circulating_supply })
  await applyAggregator(caller, { tx, clock }, config.aggregator)
  const venues = await putVenues(
    caller,
    tx,
    clock,
    await venuesToPut(tx, workspace, config, { judged }),
  )
  for (const venue of venues.values()) await openVenueAccounts(caller, { tx, clock }, venue)
  return venues
}

/** What people have declared and the file together: each was checked by itself. */
function assertWhole(config: Config): void {
  const { venues = [], assets = [] } = config
  const problems = [
    ...venues.flatMap((venue, index) => problemsOf(venue, `venues[${index}]`)),
    ...problemsOfTerms(assets, venues),
    ...problemsOfReferences(config),
  ]
  if (problems.length > 0) throw invalidConfig(problems)
}

/** A hash of each section. */
const sectionsOf = (config: Config): Record<string, string> =>
  Object.fromEntries(
    Object.entries(config)
      .filter(([, content]) => content !== undefined)
      .map(([section, content]) => [section, hashOfDeclared(content)]),
  )

/** Sections in which the file differs from the one that was applied last; undefined before that. */
export async function driftOf(
  reader: Reader,
  workspace: WorkspaceId,
  config: Config,
): Promise<string[] | undefined> {
  const applied = await appliedSections(reader, workspace)
  if (applied === undefined) return undefined
  const sections = sectionsOf(config)
  return Object.keys({ ...applied, ...sections })
    .filter((section) => applied[section] !== sections[section])
    .toSorted()
}

function tasksOf(
  { clock, workspace_tasks }: ConfigApp,
  workspace: WorkspaceId,
  venues: readonly VenueRecord[],
) {
  const due_at = clock.now()
  return [
    ...tasksOfVenues(venues, { workspace, due_at }),
    ...workspace_tasks.map((kind) => ({ kind, subject_id: workspace, workspace, due_at })),
  ]
}
