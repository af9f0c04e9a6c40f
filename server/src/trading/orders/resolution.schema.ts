/** What a person states about an order whose outcome its venue does not report. */
import {
  asset,
  closed,
  currentVersion,
  decimalText,
  oneOf,
  optional,
  optionalBlank,
  positiveText,
  requiredText,
  time,
  Type,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'

const MAXIMUM_FILLS = 100

const StatedFill = closed({
  foreign_id: requiredText(200, "The venue's trade id"),
  price: positiveText('In the quote asset'),
  quantity: positiveText('In the base asset'),
  volume: optional(
    positiveText('In the quote asset, as the venue booked it; price × quantity when absent'),
  ),
  fee: decimalText('The fee that the venue took; below 0 for a rebate'),
  fee_asset: optional(asset('The quote asset when absent')),
  executed_at: optional(time('Unix milliseconds, UTC; when the order was sent if absent')),
})
export type StatedFillBody = Static<typeof StatedFill>

export const ResolveExecution = closed(
  {
    state: oneOf(
      ['FILLED', 'CANCELED', 'NEVER_PLACED'],
      'FILLED: the whole order; CANCELED: nothing more than the fills; NEVER_PLACED: the venue ' +
        'never got it',
    ),
    evidence: requiredText(
      2000,
      "The evidence: who confirmed it, the venue's statement, a contract note",
    ),
    foreign_id: optionalBlank(requiredText(200, "The venue's reference of the order")),
    fills: optional(
      Type.Array(StatedFill, {
        maxItems: MAXIMUM_FILLS,
        description: 'The trades of the order that are not booked yet',
      }),
    ),
    version: optional(currentVersion()),
  },
  { title: 'ResolveExecution' },
)
export type ResolveExecutionBody = Static<typeof ResolveExecution>
