/** What is done with the chosen deposits, withdrawals, payments and assignments. */
import type { ReactNode } from 'react'
import type { ActionPlan, Values } from '../../action/plan.ts'
import { filledText } from '../../action/filled.ts'
import { sendOnce } from '../../action/steps.ts'
import type { NotedKind } from '../../api/notes.ts'
import { once } from '../../api/once.ts'
import { client } from '../../api/session.ts'
import { Trans, t } from '../../language/index.ts'
import type { ChoosePlan } from '../../list/chosen-bar.tsx'
import type { Column } from '../../list/columns.tsx'
import { inWords } from '../../parts/status.tsx'
import { MAXIMUM_TAG, ONE_WORD } from '../../parts/tag-text.ts'
import { Amount, Name } from '../../parts/values.tsx'
import { ManyButton } from '../../together/many-button.tsx'
import type { ManyPlan, Task } from '../../together/plan.ts'
import { assignDeposit } from './assign.tsx'
import type { Withdrawal } from './assign.tsx'
import { DECIDE, decideOn, DECISIONS, whyNotDecide } from './decide.tsx'
import type { Decidable, Decision } from './decide.tsx'
import { openRest } from './open-rest.ts'
import type { Deposit } from './open-rest.ts'
import { cancelPayment } from './payment-actions.ts'
import type { Payment } from './payment-actions.ts'
import { WHOSE } from './whose.tsx'
import { cancel as cancelWithdrawal } from './withdrawal-actions.tsx'

const amountOf = <Row extends Task>(title = t('Amount')): Column<Row> => ({
  key: 'quantity',
  title,
  kind: 'amount',
  asset: (row) => row.asset,
})

const DEPOSIT_COLUMNS: readonly Column<Deposit>[] = [
  { key: 'occurred_at', title: t('Seen'), kind: 'time' },
  amountOf(),
  WHOSE,
  { key: 'from', title: t('From'), value: (row) => row.counterparty?.name ?? row.source_address },
  { key: 'reference_text', title: t('Reference') },
]
const WITHDRAWAL_COLUMNS: readonly Column<Withdrawal>[] = [
  { key: 'system_created_at', title: t('Created'), kind: 'time' },
  amountOf(),
  WHOSE,
  { key: 'destination_address', title: t('To address'), kind: 'id' },
]
const PAYMENT_COLUMNS: readonly Column<Payment>[] = [
  { key: 'system_created_at', title: t('Ordered'), kind: 'time' },
  amountOf(),
  { key: 'account_id', title: t('Pays'), kind: 'account' },
  { key: 'to_wallet_id', title: t('Payee'), kind: 'wallet' },
  { key: 'reference', title: t('Reference') },
]
const ASSIGNMENT_COLUMNS: readonly Column<Decidable>[] = [
  { key: 'system_created_at', title: t('Created'), kind: 'time' },
  amountOf(),
  { key: 'account_id', title: t('Account'), kind: 'account' },
  { key: 'source', title: t('Source'), value: (row) => inWords(row.source) },
]

type Counted = (count: number) => string
const deposits: Counted = (count) => t('{{count}} deposits', { count })
const withdrawals: Counted = (count) => t('{{count}} withdrawals', { count })
const payments: Counted = (count) => t('{{count}} payments', { count })

const accountOf = ({ account_id }: Values): string => filledText(account_id) ?? ''

const assignMany: ManyPlan<Deposit, Deposit> = {
  label: t('Assign'),
  counted: deposits,
  permission: 'assignments.create',
  explain: t('What is not assigned of each deposit goes to one account.'),
  fields: [{ name: 'account_id', label: t('Customer account'), kind: 'account', required: true }],
  tasks: (rows) => rows,
  columns: DEPOSIT_COLUMNS,
  why: (deposit) => assignDeposit.why?.(deposit),
  amount: openRest,
  what: (deposit, values) => (
    <Trans
      i18nKey="<amount/> to <name/>"
      components={{
        amount: <Amount value={openRest(deposit)} asset={deposit.asset} />,
        name: <Name of="account" id={accountOf(values)} />,
      }}
    />
  ),
  send: (deposit, values) =>
    sendOnce(assignDeposit, deposit, {
      shares: [{ account_id: accountOf(values), quantity: openRest(deposit) }],
    }),
}

/** Those that wait are read for each of the chosen ones: a row does not say them. */
function decideMany<Row extends { id: string }>(
  decision: Decision,
  label: string,
  pendingOf: (row: Row) => Promise<readonly Decidable[]>,
): ManyPlan<Row, Decidable> {
  const accepts = decision === 'SUCCESSFUL'
  const of = new Map<string, string>()
  return {
    label,
    counted: (count) => t('{{count}} assignments that wait', { count }),
    permission: 'assignments.decide',
    danger: !accepts,
    explain: accepts
      ? t('The amount of each assignment that waits is booked to its account.')
      : t('Nothing is booked. The amounts become unassigned again.'),
    tasks: async (rows) => {
      const found = await Promise.all(rows.map(pendingOf))
      for (const [index, row] of rows.entries())
        for (const { id } of found[index] ?? []) of.set(id, row.id)
      return found.flat()
    },
    rowOf: ({ id }) => of.get(id) ?? id,
    columns: ASSIGNMENT_COLUMNS,
    why: (assignment) => whyNotDecide(assignment, decision),
    what: ({ account_id }) =>
      accepts ? (
        <Trans
          i18nKey="Booked to <name/>"
          components={{ name: <Name of="account" id={account_id} /> }}
        />
      ) : (
        t('Rejected')
      ),
    send: (assignment) => decideOn(assignment, decision),
  }
}

const isPending = ({ status }: { status: string }): boolean => status === 'PENDING'

async function pendingOfDeposit({ id }: Deposit): Promise<readonly Decidable[]> {
  const path = '/treasury/deposits/{deposit_id}/assignments'
  return (await client().get(path, { params: { deposit_id: id } })).filter(isPending)
}

async function pendingOfWithdrawal({ id }: Withdrawal): Promise<readonly Decidable[]> {
  const path = '/treasury/withdrawals/{withdrawal_id}/assignments'
  return (await client().get(path, { params: { withdrawal_id: id } })).filter(isPending)
}

const itself = async (assignment: Decidable): Promise<readonly Decidable[]> =>
  isPending(assignment) ? [assignment] : []

/** Those of the rows that are shown. */
const OF_THEIRS = { SUCCESSFUL: t('Accept assignments'), REJECTED: t('Reject assignments') }
const decisionsOn = <Row extends { id: string }>(
  labels: Readonly<Record<Decision, string>>,
  pendingOf: (row: Row) => Promise<readonly Decidable[]>,
): ManyPlan<Row, Decidable>[] =>
  DECISIONS.map((decision) => decideMany(decision, labels[decision], pendingOf))

/** What has not left is stopped; a reason is told to all of them. */
function cancelMany<P extends CancelPath, Row extends Task>(
  plan: ActionPlan<'post', P, Row>,
  counted: Counted,
  columns: readonly Column<Row>[],
): ManyPlan<Row, Row> {
  return {
    label: t('Cancel', { context: 'order' }),
    counted,
    permission: 'treasury.withdrawals.cancel',
    danger: true,
    explain: t('Those that were not sent yet are canceled, and what is held is released.'),
    fields: [{ name: 'reason', label: t('Reason'), kind: 'text' }],
    tasks: (rows) => rows,
    columns,
    why: (row) => plan.why?.(row),
    what: () => t('Canceled: it is never sent'),
    send: (row, values) => sendOnce(plan, row, values),
  }
}
type CancelPath =
  | '/treasury/withdrawals/{withdrawal_id}/cancel'
  | '/treasury/payments/{payment_id}/cancel'

const tagOf = ({ tag }: Values): string => (filledText(tag) ?? '').toLowerCase()

const tagMany = <Row extends Task>(
  kind: NotedKind,
  counted: Counted,
  columns: readonly Column<Row>[],
): ManyPlan<Row, Row> => ({
  label: t('Tag', { context: 'verb' }),
  counted,
  permission: 'notes.write',
  explain: t('Each of them gets the tag. Who sees the record sees it.'),
  fields: [
    {
      name: 'tag',
      label: t('Tag'),
      kind: 'text',
      required: true,
      maxLength: MAXIMUM_TAG,
      form: { pattern: ONE_WORD, says: t('A tag is one word') },
      placeholder: t('One word, such as urgent'),
    },
  ],
  tasks: (rows) => rows,
  columns,
  what: (_row, values) => t('Tagged {{tag}}', { tag: tagOf(values) }),
  send: ({ id }, values) => {
    const request = { params: { kind, record_id: id }, body: { tag: tagOf(values) } }
    return once(JSON.stringify(['tag', request]), (idempotency_key) =>
      client().post('/notes/{kind}/{record_id}/tags', { ...request, idempotency_key }),
    )
  },
})

type AnyPlan<Row extends Task> = ManyPlan<Row, Row> | ManyPlan<Row, Decidable>

/** `of`: what tells a row from its neighbours, beside its amount. */
function choosing<Row extends Task>(
  of: (row: Row) => string | null | undefined,
  plans: readonly AnyPlan<Row>[],
): ChoosePlan<Row> {
  return {
    nameOf: (row) => [`${row.quantity} ${row.asset}`, ...[of(row) ?? []].flat()].join(', '),
    actions: (chosen): ReactNode =>
      plans.map((plan) => (
        <ManyButton key={plan.label} plan={plan as ManyPlan<Row, Row>} chosen={chosen} />
      )),
  }
}

export const CHOOSE_DEPOSITS = choosing<Deposit>(
  (row) => row.reference_text ?? row.counterparty?.name,
  [
    assignMany,
    ...decisionsOn(OF_THEIRS, pendingOfDeposit),
    tagMany('deposit', deposits, DEPOSIT_COLUMNS),
  ],
)
export const CHOOSE_WITHDRAWALS = choosing<Withdrawal>(
  (row) => row.reference_text ?? row.recipient_name ?? row.destination_address,
  [
    cancelMany(cancelWithdrawal, withdrawals, WITHDRAWAL_COLUMNS),
    ...decisionsOn(OF_THEIRS, pendingOfWithdrawal),
    tagMany('withdrawal', withdrawals, WITHDRAWAL_COLUMNS),
  ],
)
export const CHOOSE_PAYMENTS = choosing<Payment>(
  (row) => row.reference ?? row.purpose,
  [
    cancelMany(cancelPayment, payments, PAYMENT_COLUMNS),
    tagMany('payment', payments, PAYMENT_COLUMNS),
  ],
)
export const CHOOSE_ASSIGNMENTS = choosing<Decidable>(
  (row) => inWords(row.source),
  decisionsOn(DECIDE, itself),
)
