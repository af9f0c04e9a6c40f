/** For tests of Kraken at the sandbox. */
import { decimal } from '../../../core/decimal.ts'
import type { TransferOrder, Venue } from '../../contract.ts'
import type { SandboxProcess } from '../../sandbox-process.testing.ts'
import { openAt, OUTSIDE_BTC, OUTSIDE_XLM, OUTSIDE_XRP, withdrawalOf } from '../exchange.fixture.ts'
import type { Acts } from '../exchange.fixture.ts'
import type { ExchangeConfig } from '../exchange.ts'

/**
 * Long enough for the slowest machine. Where this time has gone by, the sending counts as that long
 * ago.
 */
export const GRACE_MILLISECONDS = 30_000

export const open = (sandbox: SandboxProcess, more: Partial<ExchangeConfig> = {}): Promise<Venue> =>
  openAt(sandbox, {
    exchange: 'kraken',
    base_url: `${sandbox.url}/kraken`,
    websocket_url: `${sandbox.url.replace('http', 'ws')}/kraken/ws/v2`,
    private_websocket_url: `${sandbox.url.replace('http', 'ws')}/kraken/ws-auth/v2`,
    listing_grace_ms: GRACE_MILLISECONDS,
    ...more,
  })
export const withdrawal = (more: Partial<TransferOrder> = {}) =>
  withdrawalOf({ transfer: { from: { key: 'outside-btc' }, to: {} }, ...more })

export async function registerKeys(sandbox: SandboxProcess): Promise<void> {
  await sandbox.control('POST', 'kraken/withdrawal-keys', {
    key: 'outside-btc',
    asset: 'BTC',
    address: OUTSIDE_BTC,
  })
  await sandbox.control('POST', 'kraken/withdrawal-keys', {
    key: 'outside-xrp',
    asset: 'XRP',
    address: OUTSIDE_XRP,
    tag: '77',
  })
  await sandbox.control('POST', 'kraken/withdrawal-keys', {
    key: 'outside-xlm',
    asset: 'XLM',
    address: OUTSIDE_XLM,
    tag: '88',
  })
}

export const ACTS: Acts = {
  name: 'kraken',
  orderOperation: 'AddOrder',
  withdrawOperation: 'Withdraw',
  lists: ['DepositStatus', 'WithdrawStatus'],
  absentAfter: GRACE_MILLISECONDS,
  withdrawal: () => withdrawal(),
  toBank: () =>
    withdrawal({
      asset: 'EUR',
      protocol: 'SEPA',
      quantity: decimal('123.45'),
      fee: decimal('1'),
      destination_address: 'DE',
      transfer: { from: { key: 'bank-eur' }, to: {} },
    }),
}
