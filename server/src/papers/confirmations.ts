/** That a payment was made or a deposit booked, as PDF for the customer whom it concerns. */
import type { MailLanguage } from '../access/index.ts'
import { format, sum } from '../core/decimal.ts'
import { notFound, permissionRequired, refuse } from '../core/errors.ts'
import type { AccountId, CustomerId, WorkspaceId } from '../core/ids.ts'
import { amountText, dayText, shortReference, timeText } from '../events/index.ts'
import type { PaperAnswer, Principal } from '../http/index.ts'
import { accountById } from '../ledger/index.ts'
import { bookedParts } from '../treasury/index.ts'
import type { AssignedMovement, Deposit, Withdrawal } from '../treasury/index.ts'
import { addresseeOf, openSheet } from './paper.ts'
import type { Addressee, PapersApp } from './paper.ts'

type Asked = {
  principal: Principal
  query: { account_id?: AccountId; language?: MailLanguage }
}
type Fact = readonly [name: string, value: string]
/** What one account has of a movement. Of what nobody has, it is the whole, without an account. */
type Part = { account_id: AccountId | null; customer_id: CustomerId | null; quantity: string }

/** Throws STATE_NOT_ALLOWED, REQUIRED (account_id), 4004, 1003. */
export async function paymentPdf(
  app: PapersApp,
  { principal, query }: Asked,
  withdrawal: Withdrawal,
): Promise<PaperAnswer> {
  if (withdrawal.state !== 'SUCCESS')
    throw refuse(
      'STATE_NOT_ALLOWED',
      'state',
      `the withdrawal is ${withdrawal.state}: only one that is SUCCESS can be confirmed`,
    )
  const { workspace } = principal
  const owners = { withdrawal_id: withdrawal.id }
  const part = await partOf(app, workspace, { owners, asked: query.account_id, of: withdrawal })
  const { language } = query
  const paper = { principal, part, title: 'payment', said: 'payment_made', language } as const
  return confirmation(app, paper, (to) => {
    const { words } = to
    return [
      [words.amount, amountText(part.quantity, withdrawal.asset, to.reader)],
      [words.payee, withdrawal.recipient_name ?? ''],
      [words.paid_to, withdrawal.destination_address],
      [words.reference, withdrawal.reference_text ?? withdrawal.tag ?? ''],
      [words.purpose, withdrawal.purpose ?? ''],
      [words.way, withdrawal.protocol],
      [words.executed, timeOf(withdrawal.completed_at, to)],
      [words.value_date, dayOf(withdrawal.value_date, to)],
      [words.transaction, withdrawal.transaction_hash ?? ''],
      [words.our_reference, shortReference('withdrawal', withdrawal.id)],
    ]
  })
}

/** Throws as `paymentPdf`. */
export async function depositPdf(
  app: PapersApp,
  { principal, query }: Asked,
  deposit: Deposit,
): Promise<PaperAnswer> {
  const { workspace } = principal
  const part =
    deposit.state === 'FAILED' || deposit.state === 'REVERSED'
      ? undefined
      : await partOf(app, workspace, {
          owners: { deposit_id: deposit.id },
          asked: query.account_id,
          of: deposit,
        })
  if (part === undefined || (part.account_id === null && deposit.state !== 'SUCCESSFUL'))
    throw refuse(
      'STATE_NOT_ALLOWED',
      'state',
      `the deposit is ${deposit.state}: only what has been booked to an account can be confirmed`,
    )
  const { language } = query
  const paper = { principal, part, title: 'deposit', said: 'deposit_booked', language } as const
  return confirmation(app, paper, (to) => {
    const { words } = to
    return [
      [words.amount, amountText(part.quantity, deposit.asset, to.reader)],
      [words.payer, deposit.counterparty?.name ?? ''],
      [words.paid_from, deposit.counterparty?.iban ?? deposit.source_address ?? ''],
      [words.reference, deposit.reference_text ?? deposit.tag ?? ''],
      [words.way, deposit.protocol ?? ''],
      [words.received, timeOf(deposit.occurred_at, to)],
      [words.value_date, dayOf(deposit.value_date, to)],
      [words.transaction, deposit.transaction_hash ?? ''],
      [words.our_reference, shortReference('deposit', deposit.id)],
    ]
  })
}

/** Throws 4004 for an account without a booked part of the movement. */
export async function assertHasPart(
  { db }: PapersApp,
  workspace: WorkspaceId,
  owners: AssignedMovement,
  asked: AccountId,
): Promise<void> {
  const booked = await bookedParts(db, workspace, owners)
  if (!booked.some(({ account_id }) => account_id === asked)) throw noPart(asked)
}

const noPart = (account_id: AccountId): Error =>
  notFound('part of account', account_id, 'account_id')

/** What is booked to the account that was asked for, or to the only one. */
async function partOf(
  { db }: PapersApp,
  workspace: WorkspaceId,
  {
    owners,
    asked,
    of,
  }: { owners: AssignedMovement; asked: AccountId | undefined; of: { quantity: string } },
): Promise<Part> {
  const booked = await bookedParts(db, workspace, owners)
  const byAccount = Map.groupBy(booked, ({ account_id }) => account_id)
  if (asked !== undefined && !byAccount.has(asked)) throw noPart(asked)
  if (asked === undefined && byAccount.size > 1)
    throw refuse(
      'REQUIRED',
      'account_id',
      `${byAccount.size} accounts have a part of it: account_id says whose part is confirmed`,
    )
  const parts = asked === undefined ? booked : (byAccount.get(asked) ?? [])
  const [first] = parts
  if (first === undefined) return { account_id: null, customer_id: null, quantity: of.quantity }
  return {
    account_id: first.account_id as AccountId,
    customer_id: first.customer_id as CustomerId | null,
    quantity: format(sum(parts.map(({ quantity }) => quantity))),
  }
}

type Confirmation = {
  principal: Principal
  part: Part
  title: 'payment' | 'deposit'
  said: 'payment_made' | 'deposit_booked'
  language: MailLanguage | undefined
}

async function confirmation(
  app: PapersApp,
  { principal, part, title, said, language }: Confirmation,
  factsFor: (to: Addressee) => Fact[],
): Promise<PaperAnswer> {
  const { workspace, permissions } = principal
  if (part.customer_id !== null && !permissions.has('customers.read'))
    throw permissionRequired('customers.read', 'a confirmation, which names the customer,')
  const to = await addresseeOf(app, workspace, { customer_id: part.customer_id, language })
  const { words, customer } = to
  const sheet = await openSheet(to, { title: words[title], now: app.clock.now() })
  const account =
    part.account_id === null ? undefined : await accountById(app.db, workspace, part.account_id)
  await sheet.facts([
    [words.customer, customer?.label ?? ''],
    [words.customer_number, customer?.foreign_id ?? ''],
    [
      words.account,
      account === undefined ? '' : `${account.label} (${shortReference('account', account.id)})`,
    ],
    ...factsFor(to),
  ])
  sheet.note(words[said])
  return { name: words[title], rows: 0, pieces: sheet.pieces() }
}

const timeOf = (at: number | null, { reader }: Addressee): string =>
  at === null ? '' : timeText(at, reader)

/** As the bank wrote it: `2026-11-23`. */
const dayOf = (day: string | null, { reader }: Addressee): string =>
  day === null ? '' : dayText(Date.parse(`${day}T00:00:00Z`), reader)
