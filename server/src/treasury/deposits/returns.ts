/**
 * A deposit goes back to its sender: an ordinary withdrawal from the wallet that received it, to
 * the payer whom its venue named. What no account has is taken from SUSPENSE. What is assigned is
 * taken from the account that has it, which must be named.
 */
import { format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import type { AccountId, DepositId } from '../../core/ids.ts'
import { customerOfAccount } from '../../customers/index.ts'
import { withIdempotentReplay } from '../../http/index.ts'
import type { Caller } from '../../http/index.ts'
import { amountOf, assetByCode, commitWithReply, retryOnStale } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import type { TreasuryApp } from '../app.ts'
import { bookedSum } from '../assignments/assignments.schema.ts'
import { assignmentsOf } from '../assignments/rows.ts'
import { depositRow, returnableOf, unassignedOf } from '../deposit-rows/rows.ts'
import type { DepositRow } from '../deposit-rows/rows.ts'
import { assertNotHeld } from '../withdrawals/held-deposits.ts'
import { agreedFee } from '../routes/fees.ts'
import { beginReturn, isFinalDeposit, leftOfAccount } from '../withdrawals/returned-deposits.ts'
import { assertOwnWallets } from '../withdrawals/third-parties.ts'
import { assertWithinLimits, composeWithdrawal } from '../withdrawals/withdrawals.ts'
import type { OwnerShare, WithdrawalDraft } from '../withdrawals/withdrawals.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import type { ReturnDepositBody, ReturnPreview } from './returns.schema.ts'
import { returnText, wayBack } from './way-back.ts'

/**
 * Refused: STATE_NOT_ALLOWED (not final, reversed, an own transfer, held by screening),
 * SUM_MISMATCH (more than is left), REQUIRED (the account, or a route), CONFLICT (the route leads
 * elsewhere, the payer is one of us), and as a withdrawal.
 */
export function returnDeposit(
  caller: Caller,
  app: TreasuryApp,
  id: DepositId,
  body: ReturnDepositBody,
): Promise<Withdrawal> {
  const { workspace, idempotency } = caller
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const deposit = await depositRow(app.db, workspace, id)
      assertReturnable(deposit)
      await assertNotHeld(app.db, deposit)
      const { withdrawal, change } = await returnDraft(caller, app, deposit, body)
      const begun = beginReturn(deposit, withdrawal)
      const whole = {
        ...change,
        guards: [...(change.guards ?? []), ...begun.guards],
        rows: [...(change.rows ?? []), ...begun.rows],
        events: [...(change.events ?? []), ...begun.events],
      }
      return withFailpoints('deposit.return', deposit.venue_id, () =>
        commitWithReply(app.lane, caller, whole, withdrawal),
      )
    }),
  )
}

/**
 * What a return would send now, where to and at which fee. Refused like it, but for what its commit
 * decides: balances, halts and freezes.
 */
export async function previewReturn(
  caller: Caller,
  app: TreasuryApp,
  id: DepositId,
  body: ReturnDepositBody,
): Promise<ReturnPreview> {
  const deposit = await depositRow(app.db, caller.workspace, id)
  assertReturnable(deposit)
  await assertNotHeld(app.db, deposit)
  const { withdrawal } = await returnDraft(caller, app, deposit, body)
  return {
    dry_run: true,
    quantity: withdrawal.quantity,
    asset: withdrawal.asset,
    fee_estimate: withdrawal.fee_estimate,
    fee_asset: withdrawal.fee_asset,
    destination_address: withdrawal.destination_address,
    recipient_name: withdrawal.recipient_name,
    execution_date: withdrawal.execution_date,
  }
}

function assertReturnable(deposit: DepositRow): void {
  const { id, state, own_transfer } = deposit
  if (own_transfer)
    throw refuse('STATE_NOT_ALLOWED', '', `deposit ${id} is the arrival of a transfer of ours`)
  if (!isFinalDeposit(deposit))
    throw refuse(
      'STATE_NOT_ALLOWED',
      '',
      `deposit ${id} is ${state}: only a final deposit can be returned`,
    )
  if (returnableOf(deposit) === 0n)
    throw refuse(
      'STATE_NOT_ALLOWED',
      '',
      `deposit ${id} has gone back to its sender, or is about to: nothing of it is left to return`,
    )
}

async function returnDraft(
  caller: Caller,
  app: TreasuryApp,
  deposit: DepositRow,
  body: ReturnDepositBody,
): Promise<WithdrawalDraft> {
  const { account_id, reason, third_party = false } = body
  const left = await leftToReturn(app.db, deposit, account_id)
  const quantity = await quantityOf(app.db, deposit, body, left)
  const owners = await ownersOf(app.db, deposit, account_id, quantity)
  const { way, chosen } = await wayBack(app, deposit, body.route_id)
  const payer = owners[0]?.customer_id ?? null
  const path = account_id === undefined ? '' : 'account_id'
  assertOwnWallets({ from: [way.from_wallet], to: chosen }, { payer, third_party }, path)
  await assertWithinLimits(app.db, way, quantity)
  return composeWithdrawal(caller, app, way, {
    quantity,
    speed_level: 'DEFAULT',
    details: {
      client_ref: null,
      note: reason,
      purpose: way.id === null ? null : returnText(deposit),
    },
    third_party,
    owners,
    stakes: null,
    fee: await agreedFee(app, way, quantity, { speed_level: 'DEFAULT' }),
    requested_by: {
      origin: 'RETURN',
      job_id: null,
      job_run_id: null,
      returns_deposit_id: deposit.id,
    },
  })
}

/** Of what no account has, or of this account's part. */
async function leftToReturn(
  reader: Reader,
  deposit: DepositRow,
  account_id: AccountId | undefined,
): Promise<Decimal> {
  const { workspace, id: deposit_id } = deposit
  const assignments = await assignmentsOf(reader, workspace, { deposit_id })
  if (account_id === undefined) {
    const unassigned = unassignedOf(deposit)
    if (unassigned > 0n) return unassigned
    const accounts = new Set(assignments.map((assignment) => assignment.account_id))
    throw refuse(
      'REQUIRED',
      'account_id',
      `nothing of deposit ${deposit_id} is without an account: name whose part goes back, of ` +
        [...accounts].join(', '),
    )
  }
  const left = await leftOfAccount(reader, deposit, account_id)
  if (left > 0n) return left
  const own = assignments.filter((assignment) => assignment.account_id === account_id)
  throw refuse(
    'SUM_MISMATCH',
    'account_id',
    bookedSum(own) === 0n
      ? `nothing of deposit ${deposit_id} is booked to account ${account_id}`
      : `account ${account_id} has returned all that it got of deposit ${deposit_id}`,
  )
}

/** Throws SUM_MISMATCH for more than is left. */
async function quantityOf(
  reader: Reader,
  { workspace, asset }: DepositRow,
  body: ReturnDepositBody,
  left: Decimal,
): Promise<Decimal> {
  if (body.quantity === undefined) return left
  const known = await assetByCode(reader, workspace, asset)
  const quantity = amountOf(body.quantity, known, 'quantity')
  if (quantity <= left) return quantity
  throw refuse(
    'SUM_MISMATCH',
    'quantity',
    `${format(quantity)} ${asset} requested, ${format(left)} are left to return`,
  )
}

async function ownersOf(
  reader: Reader,
  { workspace }: DepositRow,
  account_id: AccountId | undefined,
  quantity: Decimal,
): Promise<OwnerShare[]> {
  if (account_id === undefined) return []
  const { customer_id } = await customerOfAccount(reader, workspace, account_id, 'account_id')
  return [{ account_id, customer_id, quantity }]
}
