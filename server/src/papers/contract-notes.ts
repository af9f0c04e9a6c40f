/**
 * That an order was executed, as PDF for the customer who traded: what, when, at which price, and
 * what it came to.
 *
 * The contents are ours. No regulation's list of fields was at hand, so none is claimed: the venue,
 * an identifier of the instrument and the charges as an amount of their own are not on it.
 */
import type { MailLanguage } from '../access/index.ts'
import { decimal, divide, format } from '../core/decimal.ts'
import { notFound, permissionRequired, refuse } from '../core/errors.ts'
import type { CustomerId } from '../core/ids.ts'
import { amountText, shortReference, timeText } from '../events/index.ts'
import type { PaperAnswer, Principal } from '../http/index.ts'
import { accountById } from '../ledger/index.ts'
import type { Execution } from '../trading/index.ts'
import { addresseeOf, openSheet } from './paper.ts'
import type { Addressee, PapersApp } from './paper.ts'

type Asked = { principal: Principal; query: { customer_id?: CustomerId; language?: MailLanguage } }
type Share = Execution['customers'][number]

/** A price below 1 has more decimals than its currency. */
const LOW_PRICE_DECIMALS = 8

/** Throws 4004 for a customer who has no part of it. */
export function assertTraded({ customers }: Execution, asked: CustomerId): void {
  if (!customers.some(({ customer_id }) => customer_id === asked)) throw noPart(asked)
}

const noPart = (id: CustomerId): Error => notFound('part of customer', id, 'customer_id')

/** Throws STATE_NOT_ALLOWED, REQUIRED (customer_id), 4004, 1003. */
export async function contractNotePdf(
  app: PapersApp,
  { principal: { workspace, permissions }, query }: Asked,
  execution: Execution,
): Promise<PaperAnswer> {
  if (!permissions.has('customers.read'))
    throw permissionRequired('customers.read', 'a contract note, which names the customer,')
  const share = shareOf(execution, query.customer_id)
  if (execution.completed_at === null || decimal(share.filled_amount) === 0n)
    throw refuse(
      'STATE_NOT_ALLOWED',
      'state',
      `the execution is ${execution.state}: only one that has ended has a contract note, where ` +
        'something was bought or sold',
    )
  const { customer_id } = share
  const to = await addresseeOf(app, workspace, { customer_id, language: query.language })
  const { words, customer } = to
  const sheet = await openSheet(to, { title: words.contract_note, now: app.clock.now() })
  const account =
    customer === undefined ? undefined : await accountById(app.db, workspace, customer.account_id)
  await sheet.facts([
    [words.customer, customer?.label ?? ''],
    [words.customer_number, customer?.foreign_id ?? ''],
    [
      words.account,
      account === undefined ? '' : `${account.label} (${shortReference('account', account.id)})`,
    ],
    ...factsOf(execution, share, to),
  ])
  sheet.note(words.price_is_all)
  sheet.note(words.order_executed)
  return { name: words.contract_note, rows: 0, pieces: sheet.pieces() }
}

function shareOf({ customers }: Execution, asked: CustomerId | undefined): Share {
  if (asked === undefined && customers.length > 1)
    throw refuse(
      'REQUIRED',
      'customer_id',
      `${customers.length} customers have a part of it: customer_id says whose part is told`,
    )
  const share =
    asked === undefined ? customers[0] : customers.find((one) => one.customer_id === asked)
  if (share === undefined)
    throw asked === undefined
      ? refuse('STATE_NOT_ALLOWED', '', 'no customer has a part of this execution')
      : noPart(asked)
  return share
}

function factsOf(
  execution: Execution,
  { filled_amount, filled_volume }: Share,
  { words, reader }: Addressee,
): (readonly [name: string, value: string])[] {
  const { side, execution_type, base_asset, quote_asset, completed_at } = execution
  const [volume, amount] = [decimal(filled_volume), decimal(filled_amount)]
  const isLow = volume < amount
  const scale = isLow ? undefined : reader.assets.get(quote_asset)?.scale
  const price = divide(volume, amount, scale ?? LOW_PRICE_DECIMALS, 'half_even')
  return [
    [words.side, words.sides[side]],
    [words.order_type, words.order_types[execution_type]],
    [words.quantity, amountText(filled_amount, base_asset, reader)],
    [words.price, amountText(format(price), quote_asset, reader)],
    [side === 'BUY' ? words.paid : words.got, amountText(filled_volume, quote_asset, reader)],
    [words.executed, completed_at === null ? '' : timeText(completed_at, reader)],
    [words.our_reference, shortReference('execution', execution.id)],
  ]
}
