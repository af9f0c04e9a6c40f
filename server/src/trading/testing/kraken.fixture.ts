/**
 * A worker of executions as a process of its own, so that a test can let it die: works one
 * execution off, or watches the stops until none waits, and ends.
 */
import { mustExist } from '../../core/assert.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { until } from '../../core/testing.ts'
import { openLane } from '../../ledger/index.ts'
import { openPriceBook } from '../../market-data/index.ts'
import { openDb } from '../../store/db.ts'
import { testHistory } from '../../store/history.testing.ts'
import { adapterFactories } from '../../venues/index.ts'
import { HELD_LEASE } from '../../venues/lease/lease.testing.ts'
import type { Venue, VenueRecord } from '../../venues/index.ts'
import { advanceExecution } from '../orders/orders.ts'
import { watchStops } from '../executions/stops.ts'

export type WorkerTask = {
  database_url: string
  sandbox_url: string
  api_key: string
  api_secret: string
  workspace: WorkspaceId
  execution_id: string
  venue: VenueRecord
  ahead_ms: number
  watch?: boolean
}

/**
 * Orders wait a short time for an answer that may never come; whatever else is asked waits long, so
 * that no machine is too slow to be in time.
 */
export async function openKraken({
  sandbox_url,
  api_key,
  api_secret,
}: Pick<WorkerTask, 'sandbox_url' | 'api_key' | 'api_secret'>): Promise<Venue> {
  const log = {
    error: (_details: object, message: string) => {
      throw new Error(message)
    },
  }
  const { EXCHANGE } = adapterFactories(log, HELD_LEASE)
  const open = (request_timeout_ms: string) =>
    mustExist(
      EXCHANGE,
      'there is an adapter for exchanges',
    )({
      exchange: 'kraken',
      api_key,
      api_secret,
      base_url: `${sandbox_url}/kraken`,
      websocket_url: `${sandbox_url.replace('http', 'ws')}/kraken/ws/v2`,
      request_timeout_ms,
      tier: 'AGREED',
      listing_grace_ms: '3000',
    })
  const [patient, hasty] = [await open('30000'), await open('3000')]
  // What it reads before its first order it has read by then.
  await until('an answer in time', () => hasty.balances().catch(() => undefined))
  return {
    ...patient,
    trading: mustExist(hasty.trading, 'an exchange trades'),
    close: async () => {
      await patient.close()
      await hasty.close()
    },
  }
}

const STEPS = 100

async function main(task: WorkerTask): Promise<void> {
  const clock = { now: () => Date.now() + task.ahead_ms }
  const db = openDb({ url: task.database_url, role: 'kontor' })
  const lane = openLane(db, clock)
  const adapter = await openKraken(task)
  const prices = openPriceBook()
  if (task.watch === true && adapter.prices !== undefined)
    await prices.follow(task.venue.id, adapter.prices, [{ base_asset: 'BTC', quote_asset: 'EUR' }])
  const app = {
    db,
    clock,
    lane,
    prices,
    venues: {
      connect: async () => ({ venue: task.venue, adapter }),
      list: async () => [task.venue],
    },
    history: testHistory(db, clock),
  }
  for (let step = 0; step < STEPS; step += 1) {
    const result =
      task.watch === true
        ? await watchStops(app, task.workspace)
        : await advanceExecution(app, task.workspace, task.execution_id)
    if (result === 'done') break
    await new Promise((resolve) => {
      setTimeout(resolve, Math.min(1_000, Math.max(0, result.again_at - clock.now())))
    })
  }
  await prices.close()
  await adapter.close()
  await lane.close()
  await db.close()
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? '') as WorkerTask)
