/**
 * Circulating supplies as the aggregator of the workspace tells them: declared in the configuration
 * file, asked for by a task every ten minutes, kept with their age. Readers see what is kept;
 * nobody waits for the aggregator.
 */
import type { Clock } from '../core/clock.ts'
import { decimal, format } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import { ApiError } from '../core/errors.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { closed, optional, requiredText, Type, oneOf } from '../http/index.ts'
import type { Static } from '../http/index.ts'
import { assetByCode } from '../ledger/index.ts'
import { only } from '../store/db.ts'
import type { Db, Reader, Tx } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import { putTasks } from '../store/tasks.ts'
import type { TaskHandler } from '../store/tasks.ts'
import { SecretReferenceShape, secretAt } from '../venues/index.ts'
import { AggregatorError, openCoinGecko, PLANS } from './coingecko.ts'
import type { Aggregator, CoinGeckoConfig } from './coingecko.ts'

export const SUPPLIES_TASK = 'fetch_supplies'

/** A supply told longer ago than this is not used. */
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

/**
 * Brings the aggregator of the workspace to what is declared; undefined: there is none any more.
 * Throws 3001 UNKNOWN_ASSET.
 */
export async function applyAggregator(
  tx: Tx,
  clock: Clock,
  workspace: WorkspaceId,
  declared: DeclaredAggregator | undefined,
): Promise<void> {
  const { coins = {}, ...config } = declared ?? {}
  for (const asset of Object.keys(coins))
    await assetByCode(tx, workspace, asset, `aggregator.coins.${asset}`)
  const [assets, ids] = [Object.keys(coins), Object.values(coins)]
  await tx.query(
    sql`delete from supplies where workspace = ${workspace} and not asset = any(${assets}::text[])`,
  )
  // Another coin's supply is not this one's.
  await tx.query(sql`
    insert into supplies (workspace, asset, coin) select ${workspace}, * from unnest(${assets}::text[], ${ids}::text[])
    on conflict (workspace, asset) do update set coin = excluded.coin, circulating_supply = null, told_at = null where supplies.coin <> excluded.coin`)
  if (declared === undefined) {
    await tx.query(sql`delete from aggregators where workspace = ${workspace}`)
    return
  }
  await tx.query(sql`insert into aggregators (workspace, config) values (${workspace}, ${JSON.stringify(config)}::jsonb)
    on conflict (workspace) do update set config = excluded.config, failures = 0, error = null`)
  await putTasks(tx, [
    { workspace, kind: SUPPLIES_TASK, subject_id: workspace, due_at: clock.now() },
  ])
}

/** `quantity` undefined: the aggregator is asked for this asset, and has not told it lately. */
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
  }>(sql`select asset, circulating_supply, told_at from supplies where workspace = ${workspace}`)
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

export type SuppliesApp = {
  db: Db
  clock: Clock
  log: { warn(details: object, message: string): void }
}

type OpenAggregator = (config: CoinGeckoConfig) => Promise<Aggregator>

/** `open`: another way to the aggregator, for tests. */
export function suppliesTask(
  { db, clock, log }: SuppliesApp,
  open: OpenAggregator = openCoinGecko,
): TaskHandler {
  return async ({ workspace }) => {
    const source = only(
      await db.query<{ config: AggregatorConfig; failures: number }>(
        sql`select config, failures from aggregators where workspace = ${workspace}`,
      ),
    )
    if (source === undefined) return 'done'
    const coins = await db.query<{ coin: string }>(
      sql`select distinct coin from supplies where workspace = ${workspace} order by coin`,
    )
    try {
      const fetched = await fetchSupplies(
        open,
        source.config,
        coins.map((coin) => coin.coin),
      )
      await storeSupplies(db, clock.now(), workspace, fetched)
      if (source.failures > 0) log.warn({ workspace }, 'the aggregator answers again')
      return { again_at: clock.now() + ASK_EVERY_MILLISECONDS }
    } catch (error) {
      if (!(error instanceof AggregatorError || error instanceof ApiError)) throw error
      if (source.failures === 0)
        log.warn({ workspace, error: error.message }, 'the aggregator does not tell supplies')
      await db.query(
        sql`update aggregators set failures = failures + 1, error = ${error.message} where workspace = ${workspace}`,
      )
      return {
        again_at:
          clock.now() +
          pauseAfter(
            source.failures + 1,
            error instanceof AggregatorError ? error.retry_after_ms : undefined,
          ),
      }
    }
  }
}

/**
 * Doubles from 5 s to the usual interval; longer only when the aggregator asks for it, an hour at
 * most.
 */
export function pauseAfter(failures: number, asked_for: number | undefined): number {
  const own = Math.min(
    ASK_EVERY_MILLISECONDS,
    BACK_OFF_FIRST_MILLISECONDS * 2 ** Math.min(failures - 1, 10),
  )
  return Math.min(3_600_000, Math.max(own, asked_for ?? 0))
}

async function fetchSupplies(
  open: OpenAggregator,
  { plan = 'DEMO', base_url, api_key }: AggregatorConfig,
  coins: readonly string[],
): Promise<Awaited<ReturnType<Aggregator['supplies']>>> {
  const key = api_key === undefined ? undefined : await secretAt(api_key, 'aggregator: api_key')
  const aggregator = await open({
    plan,
    ...(base_url === undefined ? {} : { base_url }),
    ...(key === undefined ? {} : { api_key: key }),
  })
  return aggregator.supplies(coins)
}

/**
 * A coin that was not told keeps what was told before, which grows old. A time that lies ahead
 * counts as now.
 */
async function storeSupplies(
  db: Db,
  now: number,
  workspace: WorkspaceId,
  told: Awaited<ReturnType<Aggregator['supplies']>>,
): Promise<void> {
  const [coins, supplies] = [[...told.keys()], [...told.values()]]
  await db.tx(async (tx) => {
    await tx.query(sql`
      update supplies set circulating_supply = t.quantity, told_at = t.told_at
      from unnest(${coins}::text[], ${supplies.map((supply) => format(supply.quantity))}::numeric[], ${supplies.map((supply) => Math.min(now, supply.told_at ?? now))}::bigint[]) as t (coin, quantity, told_at)
      where supplies.workspace = ${workspace} and supplies.coin = t.coin`)
    await tx.query(
      sql`update aggregators set failures = 0, error = null where workspace = ${workspace}`,
    )
  })
}
