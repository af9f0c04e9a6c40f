/** From a database that was set back to halts that a person releases. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pino } from 'pino'
import { afterRestore } from './after-restore.ts'
import { openApp } from './app.ts'
import type { App } from './app.ts'
import { systemClock } from './core/clock.ts'
import { idAt, newId } from './core/ids.ts'
import { putHalt } from './ledger/index.ts'
import type { Halt } from './ledger/index.ts'
import type { WorkspaceId } from './core/ids.ts'
import { firstStart } from './first-start.ts'
import { insertMadeUp } from './store/made-up-rows.testing.ts'
import type { MadeUpRows } from './store/made-up-rows.testing.ts'
import { raw, sql } from './store/sql.ts'
import { testDatabase } from './store/testing.ts'
import type { TestDatabase } from './store/testing.ts'
import { startWorker } from './worker.ts'

describe('after a restore', () => {
  let database: TestDatabase
  let historyFolder: string
  const said: string[] = []
  before(async () => {
    database = await testDatabase()
    historyFolder = await mkdtemp(join(tmpdir(), 'restored-'))
  })
  after(async () => {
    await database.drop()
    await rm(historyFolder, { recursive: true })
  })

  async function withApp<T>(work: (app: App) => Promise<T>): Promise<T> {
    const app = await openApp({
      url: database.url,
      role: 'kontor',
      clock: systemClock,
      log: pino({ level: 'silent' }),
      historyFolder,
    })
    try {
      return await work(app)
    } finally {
      await app.close()
    }
  }
  const asked: boolean[] = []
  /** `work`: beside a service that runs. */
  const run = (
    agrees: boolean | (() => Promise<boolean>),
    work?: typeof startWorker,
  ): Promise<number> =>
    withApp(async (app) => {
      const worker = await work?.(app)
      try {
        return await afterRestore({
          app,
          say: (line) => void said.push(line),
          // Nobody answers for the stop that waits.
          patience_ms: 5_000,
          agree: async (_question, whole) => {
            asked.push(whole)
            return typeof agrees === 'boolean' ? agrees : agrees()
          },
        })
      } finally {
        await worker?.stop()
      }
    })
  const halts = async () => {
    const rows = await database.db.query<Pick<Halt, 'action' | 'reason'>>(sql`
      select action, reason
      from brakes
      where state = 'SET'
      order by action`)
    return rows.map(({ action, reason }) => `${action}: ${reason}`)
  }

  it('is nothing to do while nothing is lost', async () => {
    await withApp(async (app) => {
      await firstStart(app, { email: 'admin@example.com', password: 'a long password' })
      await app.history.start()
      await app.history.seal()
      await app.history.seal()
    })
    assert.equal(await run(true), 0)
    assert.match(said.at(-1) ?? '', /has not been set back/)
    assert.deepEqual(await halts(), [])
  })

  it('everything is halted until a person agrees, whose own halts stay', async () => {
    await withApp((app) =>
      app.db.tx(async (tx) => {
        const [row] = await tx.query<{ id: WorkspaceId }>(sql`
          select id
          from workspaces`)
        assert.ok(row)
        const halt = { action: 'TRADING', halted: true, reason: 'a holiday' } as const
        await putHalt({ workspace: row.id, by: 'a person' }, { tx, clock: systemClock }, halt)
      }),
    )
    await database.db.query(sql`
      update history
      set counter = counter - 1`)
    assert.equal(await run(false), 1)
    const [trading = '', withdrawals = '', ...more] = await halts()
    assert.deepEqual(more, [])
    assert.match(trading, /^TRADING: The database may have been set back: .* before: a holiday$/)
    assert.match(withdrawals, /^WITHDRAWALS: The database may .* Run npm run after-restore/)
    const setBackAgain = async () => {
      await database.db.query(sql`
        update history
        set set_back_at = set_back_at + 1`)
      return true
    }
    assert.equal(await run(setBackAgain), 1)
    assert.equal((await halts()).length, 2, 'nobody has seen what was lost then')
    assert.equal(await run(true), 0)
    assert.equal(said.at(-1), '2 halts released')
    assert.deepEqual(asked, [true, true, true])
    assert.deepEqual(await halts(), ['TRADING: a holiday'])
    const [kept] = await database.db.query(sql`
      select set_by, system_updated_by
      from brakes
      where state = 'SET'`)
    assert.deepEqual(kept, { set_by: 'a person', system_updated_by: 'a person' })
  })

  it('shows what has left, and what a person or a job may pay again', async () => {
    const { set_back_at } = await one<{ set_back_at: number }>('history', 'set_back_at', 'true')
    const { id: workspace } = await one<{ id: string }>('workspaces', 'id', 'true')
    const [earlier, later] = [set_back_at - 60_000, set_back_at + 1]
    const rows = rowsOfLists({ earlier, later })
    await insertMadeUp(database.url, workspace, rows)
    said.length = 0
    await run(false, startWorker)
    assert.deepEqual(await one('tasks', 'fence', `kind = 'run_job'`), { fence: 1 })
    const { id: stop } = await one<{ id: string }>(
      'tasks',
      'subject_id as id',
      `kind = 'work_execution'`,
    )
    assert.ok(said.includes(`not done yet: the venue of stop ${stop} is not asked`))
    const shown = said.filter((line) => line.startsWith('  '))
    assert.deepEqual(
      shown.map((line) => line.replace(/ ?\(?[0-9a-f-]{36}\)?/g, '')),
      [
        '  1 withdrawals that waited here and had left, as their venue says:',
        '    Kraken: 1 BTC to bc1, PENDING',
        '  1 payments that Kontor has no withdrawal for, booked as EXTERNAL: they may be ours:',
        '    Kraken: 2 BTC to bc2, SUCCESS',
        '  1 withdrawals whose outcome is UNKNOWN: a person finds it out and resolves them:',
        '    Kraken: 3 BTC to bc3, UNKNOWN, silence',
        '  1 deposits that are new here:',
        '    2 BTC, UNASSIGNED',
        '  1 trades whose order Kontor does not know:',
        '    Kraken: BUY 5 BTC/EUR',
        '  1 executions whose outcome is UNKNOWN:',
        '    SELL 6',
        '  1 stops whose venue was not asked: one may have triggered, and its trades be above:',
        '    BUY 9 BTC/EUR',
        '  1 records of venues that are set aside:',
        '    Kraken: odd',
        '  1 active transfer jobs: each runs on from the state of the backup:',
        '    Sweep',
        '  1 parts of settlements that are not paid here: they may have been paid:',
        '    Kraken: 7 EUR, part 1 of settlement',
        '  1 venues with trades that no settlement holds here: one may have been made and paid:',
        '    Kraken: 1 trades',
        '  1 payments of batches that are prepared here: they may have been submitted and paid:',
        '    8 EUR',
        '  1 deposits that may have been returned: a payment went out that Kontor did not make:',
        '    Kraken: 2 BTC, deposit, paid by withdrawal',
      ],
    )
  })

  const one = async <Row extends object>(table: string, column: string, where: string) => {
    const [row] = await database.db.query<Row>(sql`
      select ${raw(column)}
      from ${raw(table)}
      where ${raw(where)}`)
    return row ?? assert.fail(table)
  }
})

const FAR = 4_000_000_000_000

/** For each list one row that it shows, and one that it does not. */
function rowsOfLists({ earlier, later }: { earlier: number; later: number }): MadeUpRows {
  const [venue_id, route_id, job, settlement_id] = [newId(), newId(), newId(), newId()]
  const to = (quantity: string) => ({ quantity, destination_address: `bc${quantity}` })
  const payment = { venue_id, asset: 'BTC', own_transfer: false }
  const sent = { ...payment, submitted_at: earlier, system_created_at: earlier, origin: 'MANUAL' }
  const external = { ...payment, submitted_at: later, origin: 'EXTERNAL', state: 'SUCCESS' }
  const arrived = { venue_id, state: 'UNASSIGNED', asset: 'BTC' }
  const pair = { side: 'BUY', base_asset: 'BTC', quote_asset: 'EUR', quantity: '5' }
  const fill = { ...pair, venue_id }
  const stop = { state: 'WAITING_FOR_TRIGGER', side: 'BUY', amount: '9', symbol: 'BTC/EUR' }
  const part = { settlement_id, venue_id, direction: 'OUTGOING', asset: 'EUR', quantity: '7' }
  const prepared = { state: 'PREPARED', request: { quantity: '8', asset: 'EUR' } }
  return [
    ['venues', { id: venue_id, label: 'Kraken', state: 'DISABLED' }],
    ['withdrawals', { ...sent, state: 'PENDING', foreign_id: 'F', ...to('1') }],
    ['withdrawals', { ...sent, state: 'SUCCESS', foreign_id: 'G', completed_at: earlier }],
    ['withdrawals', { ...external, system_created_at: later, ...to('2') }],
    ['withdrawals', { ...external, system_created_at: earlier }],
    ['withdrawals', { ...sent, state: 'UNKNOWN', ...to('3'), reason: 'silence' }],
    ['deposits', { ...arrived, quantity: '2', system_created_at: later }],
    ['deposits', { ...arrived, quantity: '1', system_created_at: earlier }],
    ['fills', { ...fill, id: idAt(later), settlement_state: 'SETTLED' }],
    ['fills', { ...fill, id: idAt(earlier), settlement_state: 'UNSETTLED', executed_at: earlier }],
    ['executions', { state: 'UNKNOWN', side: 'SELL', amount: '6' }],
    ['executions', { state: 'DONE' }],
    ['executions', { ...stop, system_created_at: earlier }],
    ['executions', { ...stop, system_created_at: earlier, looked_up_at: later }],
    ['executions', { ...stop, system_created_at: later }],
    ['set_aside_items', { venue_id, state: 'OPEN', reason: 'odd' }],
    ['set_aside_items', { venue_id, state: 'RESOLVED' }],
    ['treasury_routes', { id: route_id, label: 'Sweep' }],
    ['transfer_jobs', { id: job, route_id, state: 'ACTIVE', interval: 15 }],
    ['job_schedules', { id: job, state: 'ACTIVE', next_run_at: FAR }],
    ['job_schedules', { state: 'INACTIVE' }],
    ['tasks', { kind: 'run_job', subject_id: job, due_at: FAR }],
    ['settlements', { id: settlement_id, state: 'READY' }],
    ['settlement_parts', { ...part, state: 'OPEN', part_no: 1, system_created_at: earlier }],
    ['settlement_parts', { ...part, state: 'SUCCESS', part_no: 2, system_created_at: earlier }],
    ['batch_requests', { ...prepared, system_created_at: earlier, expires_at: later }],
    ['batch_requests', { ...prepared, system_created_at: later, expires_at: later }],
  ]
}
