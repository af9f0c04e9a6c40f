/**
 * Wallets that their venue makes, worked off by one task that no two processes run at a time. Our
 * wallet's id is the reference.
 *
 *   not asked   → store that it is being asked (commit) → ask the venue → record the answer
 *   maybe asked → look for our reference: found is recorded, only `absent` allows asking again.
 *                 So is what was made before this start: the database may have been set back
 *
 * A process may die between any two steps: the next one starts from what is stored, and the venue
 * knows the reference, so that nothing is made twice.
 */
import { stateIn } from '../../store/states.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { ApiError } from '../../core/errors.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { move } from '../../core/moves.ts'
import { only } from '../../store/db.ts'
import { updateGuardedRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { TaskHandler, TaskResult } from '../../store/tasks.ts'
import { isUnreachable } from '../../venues/index.ts'
import type {
  Lookup,
  Outcome,
  WalletCreation,
  WalletOrder,
  WalletReport,
} from '../../venues/index.ts'
import { WALLET_COLUMNS, WALLETS } from './rows.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import { WALLET_MOVES } from './wallets.schema.ts'
import type { Wallet } from './wallets.schema.ts'

/**
 * How long after the intent `absent` is believed: a request that began in time has reached the
 * venue or never will.
 */
const ABSENT_AFTER_MILLISECONDS = 10_000
const POLL_FIRST_MILLISECONDS = 500
const POLL_LONGEST_MILLISECONDS = 15_000

type WalletRow = Wallet & { creation_requested_at: number | null }

/** Each step has a failpoint before and after it. */
const step = <T>(
  name: 'load' | 'connect' | 'intent' | 'create' | 'find' | 'record',
  subject: string,
  work: () => Promise<T>,
): Promise<T> => withFailpoints(`wallet.${name}`, subject, work)

export const createWalletTask =
  (app: TreasuryApp): TaskHandler =>
  async ({ workspace, subject_id }) => {
    const row = await step('load', subject_id, () => walletRow(app, workspace, subject_id))
    if (row?.state !== 'CREATING' || row.venue_id === null) return 'done'
    const { venue_id } = row
    const { venue, adapter } = await step('connect', row.id, () =>
      app.venues.connect(workspace, venue_id),
    )
    if (adapter.wallets === undefined)
      return recordFailure(app, row, `the venue ${venue.label} does not create wallets`)
    const requested_at = await mayBeRequestedAt(app, row)
    return requested_at === undefined
      ? create(app, adapter.wallets, row)
      : pollCreation(app, adapter.wallets, row, requested_at)
  }

/** At the latest, also in the time that the database has lost; undefined: not at all. */
async function mayBeRequestedAt(
  { history }: TreasuryApp,
  { system_created_at, creation_requested_at: known }: WalletRow,
): Promise<number | undefined> {
  if (known === null && system_created_at >= (await history.lookUpBefore())) return undefined
  return Math.max(known ?? system_created_at, await history.setBackAt())
}

async function walletRow(
  app: TreasuryApp,
  workspace: WorkspaceId,
  id: string,
): Promise<WalletRow | undefined> {
  return only(
    await app.db.query<WalletRow>(
      sql`
        select ${WALLET_COLUMNS}, creation_requested_at
        from wallets
        where workspace = ${workspace}
          and id = ${id}`,
    ),
  )
}

function walletOrder({ id, asset, protocol, label, configuration }: WalletRow): WalletOrder {
  return {
    external_id: id,
    asset,
    protocol: protocol ?? asset,
    label,
    vault_id: configuration.vault_id ?? null,
    vault_name: configuration.vault_name ?? null,
    customer_id: configuration.customer_id ?? null,
  }
}

async function create(
  app: TreasuryApp,
  wallets: WalletCreation,
  row: WalletRow,
): Promise<TaskResult> {
  const stored = await step('intent', row.id, () =>
    app.db.query(
      sql`
        update wallets
        set creation_requested_at = ${app.clock.now()}
        where workspace = ${row.workspace}
          and id = ${row.id}
          and ${stateIn(WALLET_MOVES, 'CREATING')}
          and ${app.history.stands()}
        returning 1`,
    ),
  )
  if (stored.length === 0) return { again_at: app.clock.now() + POLL_FIRST_MILLISECONDS }
  const outcome = await step('create', row.id, () => requestCreation(wallets, walletOrder(row)))
  if (outcome.outcome === 'accepted') return recordReport(app, row, outcome.report, app.clock.now())
  if (outcome.outcome === 'refused') return recordFailure(app, row, outcome.reason)
  return { again_at: app.clock.now() + POLL_FIRST_MILLISECONDS }
}

/** What the adapter knows to be impossible is refused: nothing was asked. */
async function requestCreation(
  wallets: WalletCreation,
  order: WalletOrder,
): Promise<Outcome<WalletReport>> {
  try {
    return await wallets.create(order)
  } catch (error) {
    const impossible =
      error instanceof ApiError && error.details[0]?.code === 'UNSUPPORTED_BY_VENUE'
    if (!impossible) throw error
    return { outcome: 'refused', reason: error.message, native: null }
  }
}

async function pollCreation(
  app: TreasuryApp,
  wallets: WalletCreation,
  row: WalletRow,
  requested_at: number,
): Promise<TaskResult> {
  const found = await step('find', row.id, () => lookUpWallet(wallets, walletOrder(row)))
  if (found.lookup === 'found') return recordReport(app, row, found.report, requested_at)
  if (found.lookup === 'absent' && app.clock.now() - requested_at >= ABSENT_AFTER_MILLISECONDS)
    return create(app, wallets, row)
  return retryLater(app, requested_at)
}

async function lookUpWallet(
  wallets: WalletCreation,
  order: WalletOrder,
): Promise<Lookup<WalletReport>> {
  try {
    return await wallets.find(order)
  } catch (error) {
    if (isUnreachable(error)) return { lookup: 'unknown', reason: error.message }
    throw error
  }
}

function retryLater(app: TreasuryApp, requested_at: number): TaskResult {
  const now = app.clock.now()
  return {
    again_at:
      now +
      Math.max(
        POLL_FIRST_MILLISECONDS,
        Math.min(POLL_LONGEST_MILLISECONDS, Math.floor((now - requested_at) / 4)),
      ),
  }
}

async function recordReport(
  app: TreasuryApp,
  row: WalletRow,
  report: WalletReport,
  requested_at: number,
): Promise<TaskResult> {
  if (report.state === 'CREATING') return retryLater(app, requested_at)
  if (report.state === 'FAILED') return recordFailure(app, row, report.reason)
  const { wallet, address, tag } = report
  const other = await walletWithAddress(app, row, { address, tag })
  if (other !== undefined)
    return recordFailure(
      app,
      row,
      `the venue has only one address for ${row.asset} there, ` +
        `and it belongs to the wallet ${other.label}`,
    )
  const place =
    row.configuration.customer_id === undefined ? { vault_id: wallet } : { wallet_id: wallet }
  const shown = {
    address,
    foreign_id: wallet,
    reference_text: tag ?? row.reference_text,
    configuration: { ...row.configuration, ...place },
  }
  return endCreation(app, row, 'ACTIVE', { shown, inside: { venue_wallet: wallet } })
}

/** On a chain with one address per vault the address may be another wallet's already. */
async function walletWithAddress(
  app: TreasuryApp,
  { workspace, id, venue_id, asset }: WalletRow,
  { address, tag }: { address: string; tag: string | null },
): Promise<{ label: string } | undefined> {
  const rows = await app.db.query<{ label: string }>(sql`
    select label
    from wallets
    where workspace = ${workspace}
      and venue_id = ${venue_id}
      and asset = ${asset}
      and id <> ${id}
      and ${stateIn(WALLET_MOVES, 'ACTIVE')}
      and lower(address) = lower(${address})
      and (${tag}::text is null or reference_text = ${tag})
    limit 1`)
  return only(rows)
}

const recordFailure = (app: TreasuryApp, row: WalletRow, reason: string): Promise<TaskResult> =>
  endCreation(app, row, 'FAILED', { shown: { reason } })

/** `inside` is stored and not shown. */
async function endCreation(
  app: TreasuryApp,
  row: WalletRow,
  to: 'ACTIVE' | 'FAILED',
  { shown, inside = {} }: { shown: Partial<Wallet>; inside?: { venue_wallet?: string } },
): Promise<TaskResult> {
  const { creation_requested_at: _inside, ...wallet } = row
  const { workspace, id } = wallet
  const guard = { table: 'wallets', resource: 'wallet', id, ...move(WALLET_MOVES, row.state, to) }
  const update = { where: { workspace, id }, set: { ...shown, ...inside } }
  await step('record', id, () =>
    app.lane.commit({
      workspace,
      class: 'fact',
      by: TREASURY_WORKER,
      guards: [guard],
      rows: [updateGuardedRow(WALLETS, update)],
      events: [
        {
          type: to === 'ACTIVE' ? 'wallet.activated' : 'wallet.failed',
          resource_id: id,
          data: { ...wallet, ...shown, state: to, version: row.version + 1 },
        },
      ],
    }),
  )
  return 'done'
}
