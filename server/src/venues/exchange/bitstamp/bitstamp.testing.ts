/** For tests of Bitstamp at the sandbox. */
import { decimal } from '../../../core/decimal.ts'
import type { TransferOrder, Venue } from '../../contract.ts'
import type { SandboxProcess } from '../../sandbox-process.testing.ts'
import { openAt, withdrawalOf } from '../exchange.fixture.ts'
import type { Acts } from '../exchange.fixture.ts'
import type { ExchangeConfig } from '../exchange.ts'

/**
 * Long enough for the slowest machine. Where this time has gone by, the sending counts as that long
 * ago.
 */
const GRACE_MILLISECONDS = 20_000
const WINDOW_MILLISECONDS = 10_000
export const ABSENT_MILLISECONDS = 2 * GRACE_MILLISECONDS + WINDOW_MILLISECONDS
export const IBAN = 'DE89370400440532013000'
const HOLDER = {
  name: 'Kontor',
  bic: 'SANDDEFFXXX',
  address: 'Main Street 1',
  postal_code: '10115',
  city: 'Berlin',
  country: 'DE',
  reference: 'Kontor 17',
}

export const open = (sandbox: SandboxProcess, more: Partial<ExchangeConfig> = {}): Promise<Venue> =>
  openAt(sandbox, {
    exchange: 'bitstamp',
    base_url: `${sandbox.url}/bitstamp/api`,
    websocket_url: `${sandbox.url.replace('http', 'ws')}/bitstamp/ws`,
    listing_grace_ms: GRACE_MILLISECONDS,
    request_window_ms: WINDOW_MILLISECONDS,
    ...more,
  })
export const withdrawal = (more: Partial<TransferOrder> = {}) => withdrawalOf(more)
export const toBank = (quantity: string) =>
  withdrawal({
    asset: 'EUR',
    protocol: 'SEPA',
    quantity: decimal(quantity),
    fee: decimal('3'),
    destination_address: IBAN,
    transfer: { from: {}, to: HOLDER },
  })

export const ACTS: Acts = {
  name: 'bitstamp',
  orderOperation: 'order',
  withdrawOperation: 'withdrawal',
  lists: ['crypto-transactions', 'withdrawal-requests'],
  absentAfter: ABSENT_MILLISECONDS,
  withdrawal: () => withdrawal(),
  toBank: () => toBank('123.45'),
}
