/**
 * Circulating supplies as the aggregator of the workspace reports them: declared in the
 * configuration file, asked for by a task every ten minutes, kept with their age. Readers see what
 * is kept; nobody waits for the aggregator.
 */
import type { Clock } from '../core/clock.ts'
import { decimal, format } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import { ApiError } from '../core/errors.ts'
import type { WorkspaceId } from '../core/ids.ts'
import {
  asset as assetCode,
  closed,
  id,
  nullable,
  oneOf,
  optional,
  positiveText,
  requiredText,
  text,
  time,
  Type,
} from '../http/index.ts'
import type { Caller, Static } from '../http/index.ts'
import { assetByCode } from '../ledger/index.ts'
import { only } from '../store/db.ts'
import type { Db, Reader, Tx } from '../store/db.ts'
import { insertRow, insertRows, tableOf, updateRow } from '../store/rows.ts'
import type { Stamp } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { putTasks } from '../store/tasks.ts'
import type { TaskHandler } from '../store/tasks.ts'
import { SecretReferenceShape, secretAt } from '../venues/index.ts'
import { AggregatorError, openCoinGecko, PLANS } from './coingecko.ts'
import type { Aggregator, CoinGeckoConfig, Supply } from './coingecko.ts'

export const SUPPLIES_TASK = 'fetch_supplies'

/** An older supply is not used. */
export const SUPPLY_FRESH_MILLISECONDS = 86_400_000

const ASK_EVERY_MILLISECONDS = 600_000
const BACK_OFF_FIRST_MILLISECONDS = 5_000
const LONGEST_URL = 500
const LONGEST_COIN = 100
const MAXIMUM_COINS = 1_000

export const AggregatorDeclaration = closed(
  {
    kind: oneOf(['COINGECKO'], 'The interface it speaks'),
    base_url: optional(requiredText(LONGEST_URL, "Default: CoinGecko's own, of the plan")),
    plan: optional(oneOf(PLANS, 'What the key is for; default DEMO')),
    api_key: optional(SecretReferenceShape),
    coins: Type.Unsafe<Record<string, string>>({
      type: 'object',
      maxProperties: MAXIMUM_COINS,
      additionalProperties: { type: 'string', pattern: `^[A-Za-z0-9._-]{1,${LONGEST_COIN}}$` },
      description: 'Asset → the aggregator\'s id of the coin ("BTC": "bitcoin")',
    }),
  },
  { title: 'AggregatorDeclaration' },
)
export type DeclaredAggregator = Static<typeof AggregatorDeclaration>

type AggregatorConfig = Omit<DeclaredAggregator, 'coins'>

const AGGREGATORS = tableOf(
  'aggregators',
  closed({
    workspace: id<WorkspaceId>(),
    config: Type.Unsafe<AggregatorConfig>(Type.Object({})),
    failures: Type.Integer(),
    error: nullable(text()),
  }),
)
const SUPPLIES = tableOf(
  'supplies',
  closed({
    workspace: id<WorkspaceId>(),
    asset: assetCode(),
    coin: text(),
    circulating_supply: nullable(positiveText()),
    told_at: nullable(time()),
  }),
)

/**
 * Brings the aggregator of the workspace to what is declared; undefined: there is none any more.
 * Throws 3001 UNKNOWN_ASSET.
 */
export async function applyAggregator(
  { workspace, by }: Caller,
  { tx, clock }: { tx: Tx; clock: Clock },
  declared: DeclaredAggregator | undefined,
): Promise<void> {
  const { coins = {}, ...config } = declared ?? {}
  const stamp = { by, now: clock.now() }
  await applyCoins(tx, workspace, coins, stamp)
  if (declared === undefined) {
    await tx.query(sql`
      delete from aggregators
      where workspace = ${workspace}`)
    return
  }
  await tx.query(sql`
    ${insertRow(AGGREGATORS, { workspace, config: config as AggregatorConfig }, stamp)}
    on conflict (workspace) do update
    set config = excluded.config, failures = 0, error = null`)
  await putTasks(tx, [{ workspace, kind: SUPPLIES_TASK, subject_id: workspace, due_at: stamp.now }])
}

async function applyCoins(
  tx: Tx,
  workspace: WorkspaceId,
  coins: Readonly<Record<string, string>>,
  stamp: Stamp,
): Promise<void> {
  const assets = Object.keys(coins)
  for (const asset of assets) await assetByCode(tx, workspace, asset, `aggregator.coins.${asset}`)
  await tx.query(sql`
    delete from supplies
    where workspace = ${workspace}
      and not asset = any(${assets}::text[])`)
  const rows = Object.entries(coins).map(([asset, coin]) => ({ workspace, asset, coin }))
  // Another coin's supply is not this one's.
  if (rows.length > 0)
    await tx.query(sql`
      ${insertRows(SUPPLIES, rows, stamp)}
      on conflict (workspace, asset) do update
      set coin = excluded.coin, circulating_supply = null, told_at = null
      where supplies.coin <> excluded.coin`)
}

/** Undefined: the aggregator is asked for this asset, and has not reported it lately. */
export type KnownSupply = { quantity: Decimal; told_at: number } | undefined

/** By asset, of the assets that the aggregator is asked for. */
export async function suppliesOf(
  reader: Reader,
  workspace: WorkspaceId,
  now: number,
): Promise<Map<string, KnownSupply>> {
  const rows = await reader.query<{
    asset: string
    circulating_supply: string | null
    told_at: number | null
  }>(sql`
    select asset, circulating_supply, told_at
    from supplies
    where workspace = ${workspace}`)
  return new Map(
    rows.map(({ asset, circulating_supply, told_at }) => {
      const fresh =
        circulating_supply !== null &&
        told_at !== null &&
        now - told_at <= SUPPLY_FRESH_MILLISECONDS
      return [asset, fresh ? { quantity: decimal(circulating_supply), told_at } : undefined]
    }),
  )
}

type SuppliesApp = {
  db: Db
  clock: Clock
  log: { warn(details: object, message: string): void }
}

type OpenAggregator = (config: CoinGeckoConfig) => Promise<Aggregator>

/** `open`: another way to the aggregator, for tests. */
export function suppliesTask(app: SuppliesApp, open: OpenAggregator = openCoinGecko): TaskHandler {
  const { db, clock, log } = app
  return async ({ workspace }) => {
    const source = await sourceOf(db, workspace)
    if (source === undefined) return 'done'
    try {
      const fetched = await fetchSupplies(open, source)
      await storeSupplies(db, clock.now(), workspace, fetched)
      if (source.failures > 0) log.warn({ workspace }, 'the aggregator answers again')
      return { again_at: clock.now() + ASK_EVERY_MILLISECONDS }
    } catch (error) {
      if (!(error instanceof AggregatorError || error instanceof ApiError)) throw error
      if (source.failures === 0)
        log.warn({ workspace, error: error.message }, 'the aggregator does not report supplies')
      await db.query(
        updateRow(AGGREGATORS, {
          where: { workspace },
          set: { failures: sql`failures + 1`, error: error.message },
          by: null,
          now: clock.now(),
        }),
      )
      const wish = error instanceof AggregatorError ? error.retry_after_ms : undefined
      return { again_at: clock.now() + pauseAfter(source.failures + 1, wish) }
    }
  }
}

type Source = { config: AggregatorConfig; failures: number; coins: string[] }

async function sourceOf(db: Db, workspace: WorkspaceId): Promise<Source | undefined> {
  const aggregator = only(
    await db.query<Omit<Source, 'coins'>>(sql`
      select config, failures
      from aggregators
      where workspace = ${workspace}`),
  )
  if (aggregator === undefined) return undefined
  const coins = await db.query<{ coin: string }>(sql`
    select distinct coin
    from supplies
    where workspace = ${workspace}
    order by coin`)
  return { ...aggregator, coins: coins.map(({ coin }) => coin) }
}

/**
 * Doubles from 5 s to the usual interval; longer only when the aggregator asks for it, an hour at
 * most.
 */
export function pauseAfter(failures: number, wish: number | undefined): number {
  const own = Math.min(
    ASK_EVERY_MILLISECONDS,
    BACK_OFF_FIRST_MILLISECONDS * 2 ** Math.min(failures - 1, 10),
  )
  return Math.min(3_600_000, Math.max(own, wish ?? 0))
}

async function fetchSupplies(
  open: OpenAggregator,
  { config: { plan = 'DEMO', base_url, api_key }, coins }: Source,
): Promise<Map<string, Supply>> {
  const key = api_key === undefined ? undefined : await secretAt(api_key, 'aggregator: api_key')
  const aggregator = await open({
    plan,
    ...(base_url === undefined ? {} : { base_url }),
    ...(key === undefined ? {} : { api_key: key }),
  })
  return aggregator.supplies(coins)
}

/**
 * A coin that was not reported keeps its last supply, which grows old. A time that lies ahead
 * counts as now.
 */
async function storeSupplies(
  db: Db,
  now: number,
  workspace: WorkspaceId,
  supplies: ReadonlyMap<string, Supply>,
): Promise<void> {
  const [coins, reports] = [[...supplies.keys()], [...supplies.values()]]
  const quantities = reports.map((report) => format(report.quantity))
  const times = reports.map((report) => Math.min(now, report.told_at ?? now))
  await db.tx(async (tx) => {
    await tx.query(sql`
      update supplies
      set circulating_supply = report.quantity, told_at = report.told_at
      from unnest(${coins}::text[], ${quantities}::numeric[], ${times}::bigint[])
        as report (coin, quantity, told_at)
      where supplies.workspace = ${workspace}
        and supplies.coin = report.coin`)
    await tx.query(
      updateRow(AGGREGATORS, {
        where: { workspace },
        set: { failures: 0, error: null },
        by: null,
        now,
      }),
    )
  })
}
