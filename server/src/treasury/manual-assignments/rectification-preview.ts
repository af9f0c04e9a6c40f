/** The bookings that a rectification would make now; refused like it, and nothing is changed. */
import { mustExist } from '../../core/assert.ts'
import { format, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import type { AccountId, WorkspaceId } from '../../core/ids.ts'
import { customersOfAccounts } from '../../customers/index.ts'
import type { Caller } from '../../http/index.ts'
import { accountById, balancesOf } from '../../ledger/index.ts'
import type { BookingDraft } from '../../ledger/index.ts'
import type { TreasuryApp } from '../app.ts'
import type { MovementReference } from './movement.ts'
import { planRectification } from './rectification-plan.ts'
import type { CreateRectificationBody, Preview } from './rectifications.schema.ts'

export async function previewRectification(
  { workspace }: Caller,
  app: TreasuryApp,
  of: MovementReference,
  body: CreateRectificationBody,
): Promise<Preview> {
  const { steps } = await planRectification(app, workspace, of, body)
  const drafts = steps.flatMap((step) => (step.step === 'book' ? [step.booking] : []))
  await assertCovered(app, workspace, drafts.flatMap(balanceChanges))
  const account_ids = drafts.flatMap((draft) => draft.legs.map((leg) => leg.account_id))
  const labels = await labelsOf(app, workspace, account_ids)
  return {
    dry_run: true,
    bookings: drafts.map((draft) => ({
      type: draft.type === 'REVERSAL' ? 'REVERSAL' : 'RECTIFICATION',
      asset: draft.asset,
      reverses_id: draft.reverses_id ?? null,
      description: draft.description ?? '',
      legs: draft.legs.map((leg) => ({
        account_id: leg.account_id,
        account_label: mustExist(labels.get(leg.account_id), 'an account has a label'),
        type: leg.type,
        quantity: format(leg.quantity),
      })),
    })),
  }
}

async function labelsOf(
  app: TreasuryApp,
  workspace: WorkspaceId,
  account_ids: readonly AccountId[],
): Promise<Map<string, string>> {
  const labels = new Map<string, string>()
  for (const account_id of new Set(account_ids))
    labels.set(account_id, (await accountById(app.db, workspace, account_id)).label)
  return labels
}

type BalanceChange = { account_id: AccountId; asset: string; change: Decimal }

const balanceChanges = ({ asset, legs }: BookingDraft): BalanceChange[] =>
  legs.map(({ account_id, type, quantity }) => ({
    account_id,
    asset,
    change: type === 'DEBIT' ? -quantity : quantity,
  }))

/** As the lane would refuse it; only customers' accounts have a balance floor. */
async function assertCovered(
  app: TreasuryApp,
  workspace: WorkspaceId,
  changes: readonly BalanceChange[],
): Promise<void> {
  const account_ids = changes.map((change) => change.account_id)
  const customers = await customersOfAccounts(app.db, workspace, account_ids)
  for (const [account_id, own] of Map.groupBy(changes, (change) => change.account_id)) {
    const customer = customers.get(account_id)
    const change = sum(own.map((part) => part.change))
    if (customer === undefined || customer.ignore_balance_check || change >= 0n) continue
    const { asset } = mustExist(own[0], 'a group has an element')
    const available = await availableOn(app, workspace, account_id, asset)
    if (available + change < 0n)
      throw refuse(
        'INSUFFICIENT_BALANCE',
        '',
        `account ${customer.label} (${account_id}) has ${format(available)} ${asset} available, ` +
          `${format(-change)} are needed`,
      )
  }
}

async function availableOn(
  app: TreasuryApp,
  workspace: WorkspaceId,
  account_id: AccountId,
  asset: string,
): Promise<Decimal> {
  const balances = await balancesOf(app.db, workspace, account_id)
  const balance = balances.find((balance) => balance.asset === asset)
  return balance === undefined ? 0n : balance.total - balance.held_withdrawal - balance.held_trading
}
