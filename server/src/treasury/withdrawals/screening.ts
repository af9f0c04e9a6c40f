/** A withdrawal is screened before it is sent: who is paid, and the address it goes to. */
import { settingsOf } from '../../access/index.ts'
import type { WithdrawalId, WorkspaceId } from '../../core/ids.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { customersOfAccounts } from '../../customers/index.ts'
import type { Change } from '../../ledger/index.ts'
import { heldCaseState, loadedLists, openCaseOf, screenMovement } from '../../screening/index.ts'
import type { Screened } from '../../screening/index.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import { namesOf } from './held-deposits.ts'
import { walletsById } from '../wallets/rows.ts'
import { WITHDRAWAL_TASK } from '../tasks.ts'
import { unsuccessfulChange } from './failure.ts'
import { assertNotInDoubt } from './first-lookup.ts'
import { withdrawalRow } from './rows.ts'
import type { TransactionGroup, WithdrawalRow } from './rows.ts'

/** Why a withdrawal must not leave yet. */
export type SendingWait = { reason_code: string | null; reason: string }

const HIT: SendingWait = {
  reason_code: 'SCREENING_HIT',
  reason: 'a sanctions list may name who is paid: compliance decides about its case',
}

const HELD: SendingWait = {
  reason_code: 'SCREENING_HIT',
  reason: 'the deposit that it returns is held by its screening',
}

/**
 * Of any of the transaction; undefined when all may leave. A case that is open stops it also once
 * nothing is screened any more.
 */
export async function screeningWait(
  app: TreasuryApp,
  rows: TransactionGroup,
): Promise<SendingWait | undefined> {
  const [{ workspace }] = rows
  const { screening } = await settingsOf(app.db, workspace)
  let wait: SendingWait | undefined
  // Each is screened, also when another one waits: its case is opened now.
  for (const row of rows) {
    const isScreened =
      screening.withdrawals || (screening.deposits && row.returns_deposit_id !== null)
    const found = isScreened ? await screened(app, row, screening.lists) : await undecided(app, row)
    wait ??= found ?? (await heldDeposit(app, row))
  }
  return wait
}

async function undecided(
  app: TreasuryApp,
  { workspace, id }: WithdrawalRow,
): Promise<SendingWait | undefined> {
  const open = await openCaseOf(app.db, { workspace, record_id: id })
  return open === undefined ? undefined : HIT
}

/** What a list may name is kept: a return that was asked for before it was found waits. */
async function heldDeposit(
  app: TreasuryApp,
  { workspace, returns_deposit_id }: WithdrawalRow,
): Promise<SendingWait | undefined> {
  if (returns_deposit_id === null) return undefined
  const held = await heldCaseState(app.db, { workspace, record_id: returns_deposit_id })
  return held === undefined ? undefined : HELD
}

async function screened(
  app: TreasuryApp,
  row: WithdrawalRow,
  lists: Parameters<typeof loadedLists>[2],
): Promise<SendingWait | undefined> {
  const provider = loadedLists(app.db, row.workspace, lists)
  const stamp = { by: TREASURY_WORKER, now: app.clock.now() }
  const { verdict, change } = await screenMovement(
    app.db,
    provider,
    await screenedOf(app, row),
    stamp,
  )
  if (change !== undefined)
    await withFailpoints('withdrawal.screen', row.external_id, () => app.lane.commit(change))
  if (verdict === 'PASS') return undefined
  if (verdict === 'CASE') return HIT
  return { reason_code: 'SCREENING_UNKNOWN', reason: `it is not screened yet: ${verdict.unknown}` }
}

/** The payee as the payment names it, and the customer whose wallet it goes to. */
async function screenedOf(app: TreasuryApp, row: WithdrawalRow): Promise<Screened> {
  const { workspace, recipient_name, to_wallet_id } = row
  const wallets = await walletsById(app.db, workspace, [to_wallet_id ?? []].flat())
  const accounts = [...wallets.values()].flatMap(({ account_id }) => account_id ?? [])
  const owners = await customersOfAccounts(app.db, workspace, accounts)
  const names = [recipient_name ?? '', ...[...owners.values()].flatMap(namesOf)]
  const { bic } = row.transfer.to as Readonly<Record<string, unknown>>
  return {
    workspace,
    record_kind: 'WITHDRAWAL',
    record_id: row.id,
    asset: row.asset,
    quantity: row.quantity,
    subject: {
      names: [...new Set(names.filter((name) => name !== ''))].toSorted(),
      addresses: [row.destination_address],
      bics: typeof bic === 'string' && bic !== '' ? [bic] : [],
    },
  }
}

/** Others of its transaction wait for it: the task looks at all of them again. */
const sendingTask = ({ external_id }: WithdrawalRow, now: number) => ({
  kind: WITHDRAWAL_TASK,
  subject_id: external_id,
  due_at: now,
})

/**
 * What a decision does: cleared it is screened again and goes on, refused it is canceled and what
 * was blocked is free. Nothing where it does not wait any more. Refuses STATE_NOT_ALLOWED for one
 * that may have left before the database was set back.
 */
export async function afterScreening(
  app: TreasuryApp,
  { workspace, id }: { workspace: WorkspaceId; id: WithdrawalId },
  { refused, by }: { refused: boolean; by: string },
): Promise<Change[]> {
  const row = await withdrawalRow(app.db, workspace, id)
  const tasks = [sendingTask(row, app.clock.now())]
  if (!refused) return [{ workspace, class: 'command', by, tasks }]
  const waits = row.state === 'PENDING' || row.state === 'PENDING_APPROVAL'
  if (!waits || row.submitted_at !== null) return []
  await assertNotInDoubt(app, row)
  // Whoever is told of the withdrawal is not told what was found.
  const end = { reason_code: 'SCREENING_REFUSED', reason: null, sub_state: row.sub_state }
  const change = await unsuccessfulChange(app, row, { to: 'CANCELED', ...end }, { by })
  return [{ ...change, class: 'command', tasks }]
}
