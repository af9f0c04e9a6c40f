/** A worker of executions as a process of its own, so that a test can let it die: works one execution off and ends. */
import { present } from '../core/assert.ts'
import { openLane } from '../ledger/index.ts'
import { openPriceBook } from '../market-data/index.ts'
import { openDb } from '../store/db.ts'
import { adapterFactories } from '../venues/index.ts'
import type { Venue, VenueRecord } from '../venues/index.ts'
import { workExecution } from './orders.ts'

export type WorkerTask = { database_url: string; sandbox_url: string; api_key: string; api_secret: string; workspace: string; execution_id: string; venue: VenueRecord; ahead_ms: number }

export async function openKraken({ sandbox_url, api_key, api_secret }: Pick<WorkerTask, 'sandbox_url' | 'api_key' | 'api_secret'>): Promise<Venue> {
  const { EXCHANGE } = adapterFactories({ error: (_details, message) => { throw new Error(message) } })
  return present(EXCHANGE, 'there is an adapter for exchanges')({
    exchange: 'kraken', api_key, api_secret, base_url: `${sandbox_url}/kraken`, websocket_url: `${sandbox_url.replace('http', 'ws')}/kraken/ws/v2`, request_timeout_ms: '1500', listing_grace_ms: '1000',
  })
}

const STEPS = 100

async function main(task: WorkerTask): Promise<void> {
  const clock = { now: () => Date.now() + task.ahead_ms }
  const db = openDb({ url: task.database_url, role: 'kontor' })
  const lane = openLane(db, clock, { key_lifetime_ms: 60_000 })
  const adapter = await openKraken(task)
  const app = { db, clock, lane, prices: openPriceBook(), venues: { connected: async () => ({ venue: task.venue, adapter }), list: async () => [task.venue] } }
  for (let step = 0; step < STEPS; step += 1) {
    const result = await workExecution(app, task.workspace, task.execution_id)
    if (result === 'done') break
    await new Promise((resolve) => { setTimeout(resolve, Math.min(1_000, Math.max(0, result.again_at - clock.now()))) })
  }
  await adapter.close()
  await lane.close()
  await db.close()
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? '') as WorkerTask)

