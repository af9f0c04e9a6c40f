/**
 * The gate before a deposit is assigned, whoever assigns it: who sent it, and the customers who
 * would get it, are looked up in the lists. What was looked up is committed with what follows from
 * it. A case that opens raises the version of the deposit, so that an assignment which was read
 * before it does not pass.
 */
import { settingsOf } from '../../access/index.ts'
import { refuse } from '../../core/errors.ts'
import type { AccountId, DepositId, WorkspaceId } from '../../core/ids.ts'
import { customersOfAccounts } from '../../customers/index.ts'
import type { Customer } from '../../customers/index.ts'
import type { Change } from '../../ledger/index.ts'
import { heldCaseState, loadedLists, screenMovement } from '../../screening/index.ts'
import type { Screened } from '../../screening/index.ts'
import type { Reader } from '../../store/db.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import { SETTLE_TASK } from '../tasks.ts'
import { depositGuard, depositRow, updateDeposit } from '../deposit-rows/rows.ts'
import type { DepositRow } from '../deposit-rows/rows.ts'
import { isFinalDeposit } from './returned-deposits.ts'

/** Why nothing of it may be assigned yet, or ever: as the deposit shows it. */
export type ScreeningHold = {
  reason_code: 'SCREENING_HIT' | 'SCREENING_UNKNOWN' | 'SCREENING_REFUSED'
  reason: string
}

const HOLDS = {
  OPEN: {
    reason_code: 'SCREENING_HIT',
    reason:
      'a sanctions list may name who sent it or whom it is for: compliance decides about its case',
  },
  REFUSED: {
    reason_code: 'SCREENING_REFUSED',
    reason: 'compliance has refused it: it is kept, neither assigned nor sent back',
  },
} as const satisfies Record<string, ScreeningHold>

/** The names of a customer that are looked for. */
export const namesOf = (customer: Customer): string[] =>
  [
    `${customer.first_name ?? ''} ${customer.last_name ?? ''}`.trim(),
    customer.company_name ?? '',
    customer.joint_name ?? '',
  ].filter((name) => name !== '')

const unique = (texts: readonly (string | null | undefined)[]): string[] =>
  [...new Set(texts.flatMap((one) => (one === null || one === undefined ? [] : one)))]
    .filter((one) => one !== '')
    .toSorted()

/** `hold`: it must not be assigned. `filed`: what was found, to be committed with what follows. */
type Gate = { hold?: ScreeningHold; filed: readonly Change[] }

/** Before parts of it are assigned to these accounts. */
export async function screenDeposit(
  app: TreasuryApp,
  row: DepositRow,
  accounts: readonly string[],
): Promise<Gate> {
  const { workspace } = row
  const held = await heldCaseState(app.db, { workspace, record_id: row.id })
  if (held !== undefined) return { hold: HOLDS[held], filed: [] }
  const { screening } = await settingsOf(app.db, workspace)
  if (!screening.deposits) return { filed: [] }
  const provider = loadedLists(app.db, workspace, screening.lists)
  const stamp = { by: TREASURY_WORKER, now: app.clock.now() }
  const screened = await screenedOf(app.db, row, accounts)
  const { verdict, change } = await screenMovement(app.db, provider, screened, stamp)
  const filed = change === undefined ? [] : [change]
  if (verdict === 'PASS') return { filed }
  if (verdict === 'CASE') return { hold: HOLDS.OPEN, filed }
  const reason = `it is not screened yet: ${verdict.unknown}`
  return { hold: { reason_code: 'SCREENING_UNKNOWN', reason }, filed }
}

async function screenedOf(
  reader: Reader,
  row: DepositRow,
  accounts: readonly string[],
): Promise<Screened> {
  const { workspace, counterparty, source_address } = row
  const customers = await customersOfAccounts(reader, workspace, accounts as readonly AccountId[])
  return {
    workspace,
    record_kind: 'DEPOSIT',
    record_id: row.id,
    asset: row.asset,
    quantity: row.quantity,
    subject: {
      names: unique([counterparty?.name, ...[...customers.values()].flatMap(namesOf)]),
      addresses: unique([source_address, counterparty?.iban]),
      bics: unique([counterparty?.bic]),
    },
  }
}

/** Throws STATE_NOT_ALLOWED while compliance has to decide about it, and once it has refused it. */
export async function assertNotHeld(reader: Reader, row: DepositRow): Promise<void> {
  const held = await heldCaseState(reader, { workspace: row.workspace, record_id: row.id })
  if (held !== undefined) throw heldRefusal(row, HOLDS[held])
}

export const heldRefusal = ({ id }: Pick<DepositRow, 'id'>, { reason }: ScreeningHold) =>
  refuse('STATE_NOT_ALLOWED', '', `deposit ${id}: ${reason}`)

/** The deposit shows why it is held. For changes without another guard of it. */
export const holdChange = (row: DepositRow, { reason_code, reason }: ScreeningHold): Change => ({
  workspace: row.workspace,
  class: 'fact',
  by: TREASURY_WORKER,
  guards: [depositGuard(row)],
  rows: [updateDeposit(row, { reason_code, reason })],
})

/** Only a decision takes these off a deposit. */
export const isHeldReason = ({ reason_code }: Pick<DepositRow, 'reason_code'>): boolean =>
  reason_code === 'SCREENING_HIT' || reason_code === 'SCREENING_REFUSED'

const CLEARED: ScreeningHold = {
  reason_code: 'SCREENING_UNKNOWN',
  reason: 'it was cleared, and is screened again',
}

/**
 * What a decision does. A cleared deposit of which nothing is assigned is settled again, and its
 * owner is looked for again. One that waits for a person waits on, without the reason. A refused
 * one is kept.
 */
export async function afterDepositScreening(
  app: TreasuryApp,
  { workspace, id }: { workspace: WorkspaceId; id: DepositId },
  { refused, by }: { refused: boolean; by: string },
): Promise<Change[]> {
  const row = await depositRow(app.db, workspace, id)
  const tasks = [{ kind: SETTLE_TASK, subject_id: id, due_at: app.clock.now() }]
  // One that its venue took back says why it is not there, and is settled once it is there again.
  const isThere = row.state === 'PENDING' || isFinalDeposit(row)
  const cleared = row.state === 'UNASSIGNED' ? CLEARED : { reason_code: null, reason: null }
  const { reason_code, reason } = refused ? HOLDS.REFUSED : cleared
  return [
    {
      workspace,
      class: 'command',
      by,
      guards: [depositGuard(row)],
      rows: isThere ? [updateDeposit(row, { reason_code, reason })] : [],
      tasks: refused ? [] : tasks,
    },
  ]
}
