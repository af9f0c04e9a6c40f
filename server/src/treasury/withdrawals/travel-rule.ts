/**
 * Coins leave with data about who sends and who gets them, or they wait. The gate of the sending,
 * and how somebody gives the data: they count from the same commit on that makes the sending due.
 */
import { settingsOf } from '../../access/index.ts'
import { decimal } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import type { AccountId, WithdrawalId, WorkspaceId } from '../../core/ids.ts'
import { customersOfAccounts } from '../../customers/index.ts'
import type { Customer } from '../../customers/index.ts'
import { withIdempotentReplay } from '../../http/index.ts'
import type { Caller } from '../../http/index.ts'
import { assetsOf, commitWithReply, retryOnStale } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { updateGuardedRow } from '../../store/rows.ts'
import {
  assertGiven,
  countingData,
  dataOf,
  insertData,
  missingIn,
} from '../../travel-rule/index.ts'
import type { GiveTravelRuleDataBody, TravelRuleState } from '../../travel-rule/index.ts'
import type { TreasuryApp } from '../app.ts'
import { pendingAssignmentsOf } from '../assignments/rows.ts'
import { WITHDRAWAL_TASK } from '../tasks.ts'
import { walletsById } from '../wallets/rows.ts'
import { draftOf, missingInDraft } from './travel-rule-drafts.ts'
import {
  withdrawalEvent,
  withdrawalGuard,
  withdrawalOf,
  withdrawalRow,
  WITHDRAWALS,
} from './rows.ts'
import type { TransactionGroup, WithdrawalRow } from './rows.ts'
import type { SendingWait } from './screening.ts'
import type { Withdrawal } from './withdrawals.schema.ts'

/** Why the transaction must not leave yet: the first of it that lacks data. */
export async function travelRuleWait(
  app: TreasuryApp,
  rows: TransactionGroup,
): Promise<SendingWait | undefined> {
  for (const row of rows) {
    if (!(await isRequired(app.db, row))) continue
    const data = await countingData(app.db, row.workspace, row.travel_rule_data_id)
    const missing = missingIn(data, row.destination_address)
    if (missing.length > 0)
      return {
        reason_code: 'TRAVEL_RULE_DATA',
        reason: `travel-rule data are missing: ${missing.join('; ')}`.slice(0, 500),
      }
  }
  return undefined
}

/** Of coins alone, and not between wallets of ours: there both sides are we. */
async function isRequired(reader: Reader, row: WithdrawalRow): Promise<boolean> {
  const { workspace, own_transfer, asset, quantity } = row
  const { travel_rule } = await settingsOf(reader, workspace)
  if (!travel_rule.withdrawals || own_transfer) return false
  if ((await assetsOf(reader, workspace)).get(asset)?.kind === 'FIAT') return false
  const threshold = travel_rule.thresholds.find((one) => one.asset === asset)
  return threshold === undefined || decimal(quantity) >= decimal(threshold.quantity)
}

export async function travelRuleState(
  reader: Reader,
  workspace: WorkspaceId,
  id: WithdrawalId,
): Promise<TravelRuleState> {
  const row = await withdrawalRow(reader, workspace, id)
  const data = await dataOf(reader, { workspace, record_id: id })
  const draft = draftOf(await payersOf(reader, row), {
    customer: await payeeOf(reader, row),
    address: row.destination_address,
  })
  const counting = data.find((one) => one.id === row.travel_rule_data_id)
  return {
    required: await isRequired(reader, row),
    missing: missingIn(counting, row.destination_address),
    data,
    draft,
    draft_missing: missingInDraft(draft),
  }
}

async function payersOf(reader: Reader, { workspace, id }: WithdrawalRow): Promise<Customer[]> {
  const owners = await pendingAssignmentsOf(reader, workspace, { withdrawal_id: id })
  const accounts = owners.map(({ account_id }) => account_id)
  return [...(await customersOfAccounts(reader, workspace, accounts)).values()]
}

async function payeeOf(
  reader: Reader,
  { workspace, to_wallet_id }: WithdrawalRow,
): Promise<Customer | undefined> {
  const wallets = await walletsById(reader, workspace, [to_wallet_id ?? []].flat())
  const accounts = [...wallets.values()].flatMap(({ account_id }): AccountId[] =>
    account_id === null ? [] : [account_id],
  )
  const [payee] = (await customersOfAccounts(reader, workspace, accounts)).values()
  return payee
}

/**
 * From now on these data count, and a withdrawal that waits for them goes on. Refuses 4004,
 * STATE_NOT_ALLOWED once sending has begun, and what `assertGiven` refuses.
 */
export function giveTravelRuleData(
  caller: Caller,
  app: TreasuryApp,
  id: WithdrawalId,
  body: GiveTravelRuleDataBody,
): Promise<Withdrawal> {
  const { workspace, by, idempotency } = caller
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const row = await withdrawalRow(app.db, workspace, id)
      assertBeforeSending(row)
      const now = app.clock.now()
      assertGiven(body, now)
      const data = insertData({ workspace, record_id: id }, body, { by, now })
      const set = { travel_rule_data_id: data.id }
      const owners = await pendingAssignmentsOf(app.db, workspace, { withdrawal_id: id })
      const stamp = { system_updated_at: now, system_updated_by: by, version: row.version + 1 }
      const task = { kind: WITHDRAWAL_TASK, subject_id: row.external_id, due_at: now }
      const change = {
        workspace,
        class: 'command' as const,
        by,
        guards: [withdrawalGuard(row, ['PENDING_APPROVAL', 'PENDING'])],
        rows: [data.insert, updateGuardedRow(WITHDRAWALS, { where: { workspace, id }, set })],
        events: [withdrawalEvent('travel_rule_given', row)],
        tasks: row.state === 'PENDING' ? [task] : [],
      }
      return withFailpoints('withdrawal.travel_rule', row.external_id, () =>
        commitWithReply(
          app.lane,
          caller,
          change,
          withdrawalOf({ ...row, ...set, ...stamp }, owners),
        ),
      )
    }),
  )
}

function assertBeforeSending({ id, state, submitted_at }: WithdrawalRow): void {
  const waits = state === 'PENDING' || state === 'PENDING_APPROVAL'
  if (waits && submitted_at === null) return
  const now = waits ? 'already being sent' : state
  throw refuse(
    'STATE_NOT_ALLOWED',
    '',
    `withdrawal ${id} is ${now}: travel-rule data are given before it is sent`,
  )
}
