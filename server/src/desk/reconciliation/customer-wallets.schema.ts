import type { AccountId, CustomerId } from '../../core/ids.ts'
import {
  asset,
  closed,
  decimalText,
  id,
  nullable,
  queryAssets,
  queryId,
  text,
  time,
  Type,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'

export const CustomerWalletsRecord = closed(
  {
    customer_id: id<CustomerId>(),
    customer_label: text(),
    account_id: id<AccountId>(),
    asset: asset(),
    wallets: Type.Integer({
      minimum: 0,
      description: "How many places inside venues are this customer's alone",
    }),
    venue: nullable(
      decimalText('What the venues hold there, as last compared; null: not compared yet'),
    ),
    ledger: decimalText('What the books say that lies there'),
    total: decimalText('What the customer has in the books'),
    available: decimalText('What of it can be withdrawn'),
    blocked: decimalText('What of it is blocked'),
    difference: decimalText(
      'venue, or ledger while it is null, less total: in_flight and unassigned and unexplained, ' +
        'less unsettled and in_pool',
    ),
    in_pool: decimalText(
      "What of total lies in wallets of the house; below 0: what the customer's own wallets hold " +
        'of others',
    ),
    in_flight: decimalText('Movements that only one of venue and ledger has yet'),
    unsettled: decimalText('What of total was bought and is not paid by its venue yet'),
    unassigned: decimalText('Movements of these wallets that are booked to no account yet'),
    unexplained: decimalText('What is left between venue and ledger: see the breaks'),
    compared_at: nullable(time('When the first of these wallets was last compared')),
  },
  { title: 'CustomerWallets' },
)
export type CustomerWallets = Static<typeof CustomerWalletsRecord>

export const CustomerWalletsQuery = closed({ customer_id: queryId(), asset: queryAssets() })
