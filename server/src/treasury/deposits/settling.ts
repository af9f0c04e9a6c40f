/**
 * A deposit that is final at its venue finds out whose it is, and is booked: one change. Precedence
 * (domain decisions part 3): what was assigned before the venue took it back → what is known to
 * become of a withdrawal → arrival of an own transfer → what a venue pays for a settlement → return
 * of a withdrawal → the matchings and the receiving wallet → nobody.
 */
import { settingsOf } from '../../access/index.ts'
import { customersOfAccounts } from '../../customers/index.ts'
import { mustExist } from '../../core/assert.ts'
import { decimal, format, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { newId } from '../../core/ids.ts'
import type { Json } from '../../core/json.ts'
import { assertMove } from '../../core/moves.ts'
import { assetsOf, retryOnStale } from '../../ledger/index.ts'
import type { Change, Guard, LedgerStep } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { TaskHandler } from '../../store/tasks.ts'
import { assignmentsOf, insertAssignment } from '../assignments/rows.ts'
import type { AssignmentRow } from '../assignments/rows.ts'
import type { Assigned } from '../assignments/assignments.schema.ts'
import { isLive, liveSum } from '../assignments/assignments.schema.ts'
import { bookDeposit, bookDepositAssignment, bookingAccounts, bookTransferIn } from '../bookings.ts'
import type { BookingAccounts, BookingBasis } from '../bookings.ts'
import { depositEvent, depositRow } from './rows.ts'
import type { DepositRow } from './rows.ts'
import { DEPOSIT_MOVES, derivedState } from './deposits.schema.ts'
import type { DepositState } from './deposits.schema.ts'
import { arrivalGuard, bookArrival, findExpectedArrival } from './expected-arrivals.ts'
import type { ExpectedArrival } from './expected-arrivals.ts'
import type { MatchReason } from '../matchings/rules.ts'
import { findMatch } from '../matchings/matchings.ts'
import { updateWalletPosition } from '../wallets/positions.ts'
import type { WalletLocation } from '../wallets/positions.ts'
import { walletById } from '../wallets/wallets.ts'
import type { TreasuryApp } from '../app.ts'
import type { Wallet } from '../wallets/wallets.schema.ts'
import { LIVE_STATES } from '../withdrawals/withdrawals.schema.ts'
import type { WithdrawalState } from '../withdrawals/withdrawals.schema.ts'

const WORKER = 'treasury'
const RETRY_MILLISECONDS = 2_000
/** So long a deposit waits to hear the transaction of an own transfer that may be it. */
const WAIT_FOR_HASH_MILLISECONDS = 600_000
/**
 * An own transfer that left earlier than this is not taken for an arrival by its quantity alone,
 * whichever is seen first.
 */
export const ARRIVES_WITHIN_MILLISECONDS = 14 * 86_400_000
/** The clocks of two venues may be so far apart. */
const CLOCK_SKEW_MILLISECONDS = 900_000
const DAY_MILLISECONDS = 86_400_000

/** A venue that tells only the day means some time of it, wherever its day begins. */
const latestOccurrence = (occurred_at: number): number =>
  occurred_at % DAY_MILLISECONDS === 0 ? occurred_at + 2 * DAY_MILLISECONDS : occurred_at

type RelatedWithdrawal = {
  id: string
  state: WithdrawalState
  version: number
  quantity: Decimal
  own_transfer: boolean
  transaction_hash: string | null
}
type Owner =
  | { owner: 'own transfer'; withdrawal: RelatedWithdrawal }
  | { owner: 'wait' }
  | { owner: 'expected'; arrival: ExpectedArrival }
  | {
      owner: 'accounts'
      shares: { account_id: string; quantity: Decimal; matching_id: string | null }[]
      matched?: MatchReason
      returned?: RelatedWithdrawal
    }
  | {
      owner: 'nobody'
      reason_code: string | null
      reason: string | null
      returned?: RelatedWithdrawal
    }
  /** The venue had taken it back and credits it again. */
  | { owner: 'as before'; assignments: AssignmentRow[] }

/** Subject: the deposit. Safe to repeat: what is settled is left alone. */
export const settleTask =
  (app: TreasuryApp): TaskHandler =>
  async ({ workspace, subject_id }) =>
    retryOnStale(async () => {
      const row = await depositRow(app.db, workspace, subject_id)
      if (row.state !== 'PENDING' || row.final_at === null) return 'done'
      const wallet =
        row.wallet_id === null ? undefined : await walletById(app.db, workspace, row.wallet_id)
      const owner = await findOwner(app, row, wallet)
      if (owner.owner === 'wait') return { again_at: app.clock.now() + RETRY_MILLISECONDS }
      const change =
        owner.owner === 'own transfer'
          ? await arrivalChange(app, row, owner.withdrawal)
          : owner.owner === 'expected'
            ? await expectedChange(app, row, owner.arrival)
            : owner.owner === 'as before'
              ? await reinstatementChange(app, row, owner.assignments)
              : await depositChange(app, row, owner)
      await withFailpoints('deposit.settle', row.venue_id, () => app.lane.commit(change))
      return 'done'
    })

async function findOwner(
  app: TreasuryApp,
  row: DepositRow,
  wallet: Wallet | undefined,
): Promise<Owner> {
  const assignments = (await assignmentsOf(app.db, row.workspace, { deposit_id: row.id })).filter(
    (assignment) => isLive(assignment),
  )
  if (assignments.length > 0) return { owner: 'as before', assignments }
  // What became of a withdrawal is known from the beginning.
  const known =
    row.related_withdrawal_id === null ? undefined : await findReturnedWithdrawal(app, row)
  if (known !== undefined) return ownerOfReturn(app, row, known)
  const arrival = await findOwnTransfer(app, row, wallet)
  if (arrival === 'wait') return { owner: 'wait' }
  if (arrival !== undefined) return { owner: 'own transfer', withdrawal: arrival }
  const expected = await findExpectedArrival(
    app.db,
    row,
    latestOccurrence(row.occurred_at) + CLOCK_SKEW_MILLISECONDS,
  )
  if (expected !== undefined) return { owner: 'expected', arrival: expected }
  const returned = await findReturnedWithdrawal(app, row)
  if (returned !== undefined) return ownerOfReturn(app, row, returned)
  const match = await findMatch(app.db, row.workspace, {
    asset: row.asset,
    is_withdrawal: false,
    destination_address: row.destination_address ?? wallet?.address ?? null,
    source_address: row.source_address,
    tag: row.tag,
    reference_text: row.reference_text,
    wallet_account_id: wallet?.type === 'CUSTOMER' ? wallet.account_id : null,
  })
  if (match.match === 'account')
    return {
      owner: 'accounts',
      shares: [
        { account_id: match.account_id, quantity: row.assignable, matching_id: match.matching_id },
      ],
      matched: match.by,
    }
  if (match.match === 'ambiguous')
    return {
      owner: 'nobody',
      reason_code: 'AMBIGUOUS_MATCH',
      reason: `several accounts match by ${match.level}`,
    }
  return { owner: 'nobody', reason_code: null, reason: null }
}

/**
 * The own transfer that arrives here: the one with this transaction; else one to this wallet with
 * exactly this quantity that names no transaction (a bank's). One whose transaction is not known
 * yet is waited for.
 */
async function findOwnTransfer(
  app: TreasuryApp,
  row: DepositRow,
  wallet: Wallet | undefined,
): Promise<RelatedWithdrawal | 'wait' | undefined> {
  if (wallet === undefined) return undefined
  const candidates = await app.db.query<
    Omit<RelatedWithdrawal, 'quantity'> & {
      quantity: string
      submitted_at: number
      outputs: number
      from_address: string
      from_kind: string
    }
  >(sql`
    select w.id, w.state, w.version, w.quantity, w.own_transfer, w.transaction_hash, w.submitted_at,
      w.outputs, f.address as from_address, v.kind as from_kind
    from withdrawals w
    join wallets f on f.workspace = w.workspace
      and f.id = w.from_wallet_id
    join venues v on v.workspace = w.workspace
      and v.id = w.venue_id
    where w.workspace = ${row.workspace}
      and w.to_wallet_id = ${wallet.id}
      and w.asset = ${row.asset}
      and w.own_transfer
      and w.submitted_at is not null
      and w.state = any(${[...LIVE_STATES, 'SUCCESS']})
      and not exists (
        select
        from deposits d
        where d.workspace = w.workspace
          and d.related_withdrawal_id = w.id
          and d.state <> 'REVERSED'
      )
    order by w.submitted_at, w.id`)
  // Of a transaction with several outputs only the one of just this quantity; of one alone somebody
  // may have taken a fee on the way.
  const same =
    row.transaction_hash === null
      ? []
      : candidates.filter(
          (candidate) =>
            candidate.transaction_hash?.toLowerCase() === row.transaction_hash?.toLowerCase(),
        )
  const exact =
    same.find((each) => each.quantity === row.quantity) ?? same.find((each) => each.outputs === 1)
  if (exact !== undefined) return { ...exact, quantity: decimal(exact.quantity) }
  const alike = candidates.filter(
    (candidate) =>
      candidate.transaction_hash === null &&
      candidate.quantity === row.quantity &&
      row.occurred_at < candidate.submitted_at + ARRIVES_WITHIN_MILLISECONDS &&
      latestOccurrence(row.occurred_at) >= candidate.submitted_at - CLOCK_SKEW_MILLISECONDS &&
      (candidate.from_kind !== 'BANK' ||
        row.source_address === null ||
        row.source_address === candidate.from_address),
  )
  const [first] = alike
  if (first === undefined) return undefined
  const crypto = (await assetsOf(app.db, row.workspace)).get(row.asset)?.kind === 'CRYPTO'
  const waiting =
    crypto && row.transaction_hash !== null && alike.some((each) => each.state !== 'SUCCESS')
  if (waiting && app.clock.now() < (row.final_at ?? 0) + WAIT_FOR_HASH_MILLISECONDS) return 'wait'
  const settled =
    crypto && row.transaction_hash !== null ? alike.find((each) => each.state === 'SUCCESS') : first
  return settled === undefined ? undefined : { ...settled, quantity: decimal(settled.quantity) }
}

/**
 * The withdrawal that it is known to be a return of, or that the venue says it returns. An output
 * of a transaction that pays several is named by what arrives, not by what comes back.
 */
async function findReturnedWithdrawal(
  app: TreasuryApp,
  row: DepositRow,
): Promise<RelatedWithdrawal | undefined> {
  if (row.related_external_id === null && row.related_withdrawal_id === null) return undefined
  const [found] = await app.db.query<
    Omit<RelatedWithdrawal, 'quantity'> & { quantity: string }
  >(sql`
    select id, state, version, quantity, own_transfer, transaction_hash
    from withdrawals
    where workspace = ${row.workspace}
      and venue_id = ${row.venue_id}
      and asset = ${row.asset}
      and state = any(${[...LIVE_STATES, 'SUCCESS']})
      and (
        id = ${row.related_withdrawal_id}
        or ${row.related_withdrawal_id}::uuid is null
        and outputs = 1
        and (
            external_id = ${row.related_external_id}
          or related_withdrawal_id in (
                select id
                from withdrawals
                where workspace = ${row.workspace}
              and venue_id = ${row.venue_id}
              and external_id = ${row.related_external_id}
              )
          )
      )`)
  return found === undefined ? undefined : { ...found, quantity: decimal(found.quantity) }
}

/**
 * Back to whom it was taken from: in the same parts when all of it comes back, else to the only
 * one.
 */
async function ownerOfReturn(
  app: TreasuryApp,
  row: DepositRow,
  returned: RelatedWithdrawal,
): Promise<Owner> {
  if (returned.own_transfer) {
    // What of it came before had taken all of it from TRANSIT, with its difference.
    const before = await app.db.query(
      sql`
        select 1
        from deposits
        where workspace = ${row.workspace}
          and related_withdrawal_id = ${returned.id}
          and id <> ${row.id}
          and state <> 'REVERSED'
        limit 1`,
    )
    return {
      owner: 'own transfer',
      withdrawal: before.length === 0 ? returned : { ...returned, quantity: 0n },
    }
  }
  const owners = (
    await assignmentsOf(app.db, row.workspace, { withdrawal_id: returned.id })
  ).filter((assignment) => isLive(assignment))
  const [first] = owners
  if (first === undefined)
    return {
      owner: 'nobody',
      reason_code: 'RETURN_OF_UNASSIGNED',
      reason: 'the returned withdrawal is assigned to nobody',
      returned,
    }
  if (sum(owners.map((owner) => owner.quantity)) === row.assignable)
    return {
      owner: 'accounts',
      shares: owners.map(({ account_id, quantity }) => ({
        account_id,
        quantity,
        matching_id: null,
      })),
      returned,
    }
  if (owners.some((owner) => owner.account_id !== first.account_id))
    return {
      owner: 'nobody',
      reason_code: 'AMBIGUOUS_MATCH',
      reason: 'several accounts share the returned withdrawal, and not all of it came back',
      returned,
    }
  return {
    owner: 'accounts',
    shares: [{ account_id: first.account_id, quantity: row.assignable, matching_id: null }],
    returned,
  }
}

const settleGuard = (row: DepositRow, to: DepositState): Guard => {
  assertMove(DEPOSIT_MOVES, row.state, to)
  return {
    table: 'deposits',
    resource: 'deposit',
    id: row.id,
    from: ['PENDING'],
    to,
    version: row.version,
  }
}

/**
 * The withdrawal must be what it was when whose this is was found out: still or already so, and of
 * the same accounts.
 */
const unchangedGuard = ({ id, state, version }: RelatedWithdrawal): Guard => ({
  table: 'withdrawals',
  resource: 'withdrawal',
  id,
  from: [state],
  version,
})

const walletLocation = (
  { workspace, venue_id, venue_wallet }: DepositRow,
  account_id: string,
): WalletLocation => ({
  workspace,
  venue_id,
  account_id,
  wallet: venue_wallet,
})

const basisOf = (row: DepositRow, accounts: BookingAccounts): BookingBasis => ({
  accounts,
  cause: { reference_type: 'deposit', reference_id: row.id },
  asset: row.asset,
})

/** Two deposits never take the same transfer: the guard on the withdrawal lets only one through. */
async function arrivalChange(
  app: TreasuryApp,
  row: DepositRow,
  withdrawal: RelatedWithdrawal,
): Promise<Change> {
  const accounts = await bookingAccounts(app.db, row.workspace, row.venue_id)
  const ledger = bookTransferIn(basisOf(row, accounts), decimal(row.quantity), withdrawal.quantity)
  return {
    workspace: row.workspace,
    class: 'fact',
    by: WORKER,
    guards: [settleGuard(row, 'SUCCESSFUL'), unchangedGuard(withdrawal)],
    ledger,
    rows: [
      ...updateWalletPosition(walletLocation(row, accounts.VENUE), ledger),
      sql`
        update deposits
        set own_transfer = true, related_withdrawal_id = ${withdrawal.id}
        where workspace = ${row.workspace}
          and id = ${row.id}`,
      sql`
        update withdrawals
        set arrived_at = ${app.clock.now()}
        where workspace = ${row.workspace}
          and id = ${withdrawal.id}`,
    ],
    events: [
      depositEvent(
        'succeeded',
        { ...row, state: 'SUCCESSFUL', related_withdrawal_id: withdrawal.id },
        { own_transfer: true },
      ),
    ],
  }
}

/** To the same accounts in the same parts, by assignments that have stood all the while. */
async function reinstatementChange(
  app: TreasuryApp,
  row: DepositRow,
  assignments: readonly AssignmentRow[],
): Promise<Change> {
  const accounts = await bookingAccounts(app.db, row.workspace, row.venue_id)
  const to = derivedState(row.assignable, assignments)
  const ledger = [
    bookDeposit(basisOf(row, accounts), decimal(row.quantity), row.assignable),
    ...assignments.map((assignment) => bookDepositAssignment(basisOf(row, accounts), assignment)),
  ]
  return {
    workspace: row.workspace,
    class: 'fact',
    by: WORKER,
    guards: [settleGuard(row, to)],
    ledger,
    rows: [
      ...updateWalletPosition(walletLocation(row, accounts.VENUE), ledger),
      sql`
        update deposits
        set assigned_quantity = ${format(liveSum(assignments))}
        where workspace = ${row.workspace}
          and id = ${row.id}`,
    ],
    events: [depositEvent('received', { ...row, state: to }, { again: true })],
  }
}

/** What a venue owed has come: against the account that was named, with no assignment. */
async function expectedChange(
  app: TreasuryApp,
  row: DepositRow,
  arrival: ExpectedArrival,
): Promise<Change> {
  const { settlement_id } = arrival
  const { VENUE } = await bookingAccounts(app.db, row.workspace, row.venue_id)
  const ledger = [bookArrival(VENUE, row, arrival)]
  return {
    workspace: row.workspace,
    class: 'fact',
    by: WORKER,
    guards: [settleGuard(row, 'SUCCESSFUL'), arrivalGuard(arrival, 'ARRIVED')],
    ledger,
    rows: [
      ...updateWalletPosition(walletLocation(row, VENUE), ledger),
      sql`
        update deposits
        set own_transfer = true, settlement_id = ${settlement_id}
        where workspace = ${row.workspace}
          and id = ${row.id}`,
      sql`
        update expected_arrivals
        set deposit_id = ${row.id}
        where workspace = ${row.workspace}
          and id = ${arrival.id}`,
    ],
    events: [depositEvent('succeeded', { ...row, state: 'SUCCESSFUL' }, { settlement_id })],
  }
}

/** Why it is whose it is, as events tell it: `matched` null when nothing named an account. */
function ownerEventData(
  owner: Extract<Owner, { owner: 'accounts' | 'nobody' }>,
): Record<string, Json> {
  if (owner.owner === 'nobody')
    return { matched: null, reason_code: owner.reason_code, reason: owner.reason }
  return {
    matched: owner.matched ?? { level: 'RETURN', withdrawal_id: owner.returned?.id ?? null },
  }
}

async function depositChange(
  app: TreasuryApp,
  row: DepositRow,
  owner: Extract<Owner, { owner: 'accounts' | 'nobody' }>,
): Promise<Change> {
  const { workspace } = row
  const now = app.clock.now()
  const accounts = await bookingAccounts(app.db, workspace, row.venue_id)
  const booked = !(await settingsOf(app.db, workspace)).compliance
  const shares =
    owner.owner === 'accounts' ? owner.shares.filter((share) => share.quantity > 0n) : []
  const customers = await customersOfAccounts(
    app.db,
    workspace,
    shares.map((share) => share.account_id),
  )
  const assigned = shares.map((share): Assigned => ({
    state: booked ? 'SUCCESSFUL' : 'PENDING',
    quantity: share.quantity,
    rectification_id: null,
  }))
  const to = derivedState(row.assignable, assigned)
  const related_withdrawal_id = owner.returned?.id ?? null
  const after = { ...row, state: to, related_withdrawal_id }

  const ledger: LedgerStep[] = [
    bookDeposit(basisOf(row, accounts), decimal(row.quantity), row.assignable),
  ]
  if (booked)
    ledger.push(...shares.map((share) => bookDepositAssignment(basisOf(row, accounts), share)))
  const inserts = shares.map(
    (
      share,
    ): {
      insert: Query
      told: { assignment_id: string; account_id: string; customer_id: string; quantity: string }
    } => {
      const told = {
        assignment_id: newId(now),
        account_id: share.account_id,
        customer_id: mustExist(
          customers.get(share.account_id),
          'an assigned account has a customer',
        ).id,
        quantity: format(share.quantity),
      }
      return {
        told,
        insert: insertAssignment(
          {
            workspace,
            id: told.assignment_id,
            state: booked ? 'SUCCESSFUL' : 'PENDING',
            deposit_id: row.id,
            account_id: told.account_id,
            customer_id: told.customer_id,
            asset: row.asset,
            quantity: told.quantity,
            source: 'MATCHING',
            matching_id: share.matching_id,
            decided_by: booked ? WORKER : null,
            decided_at: booked ? now : null,
            booked_at: booked ? now : null,
          },
          { by: WORKER, now },
        ),
      }
    },
  )
  const why = owner.owner === 'nobody' ? owner : { reason_code: null, reason: null }
  return {
    workspace,
    class: 'fact',
    by: WORKER,
    guards: [
      settleGuard(row, to),
      ...(owner.returned === undefined ? [] : [unchangedGuard(owner.returned)]),
    ],
    ledger,
    rows: [
      ...updateWalletPosition(walletLocation(row, accounts.VENUE), ledger),
      sql`
        update deposits
        set assigned_quantity = ${format(liveSum(assigned))},
          related_withdrawal_id = ${related_withdrawal_id}, reason_code = ${why.reason_code},
          reason = ${why.reason}
        where workspace = ${workspace}
          and id = ${row.id}`,
      ...inserts.map((insert) => insert.insert),
    ],
    events: [
      depositEvent('received', after, ownerEventData(owner)),
      ...inserts.map(({ told }) =>
        depositEvent(booked ? 'assigned' : 'assignment_requested', after, {
          ...told,
          ...ownerEventData(owner),
          deposit_quantity: row.quantity,
        }),
      ),
    ],
  }
}
