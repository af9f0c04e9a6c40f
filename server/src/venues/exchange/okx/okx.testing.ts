/** For tests of OKX at the sandbox. */
import { decimal } from '../../../core/decimal.ts'
import type { TransferOrder, Venue } from '../../contract.ts'
import type { SandboxProcess } from '../../sandbox-process.testing.ts'
import { OUTSIDE_BTC, OUTSIDE_XRP, openAt, withdrawalOf } from '../exchange.fixture.ts'
import type { Acts } from '../exchange.fixture.ts'
import type { ExchangeConfig } from '../exchange.ts'
import { withRecordedAnswers } from '../recorded-answers.testing.ts'

/**
 * Long enough for the slowest machine. Where this time has gone by, the sending counts as that long
 * ago.
 */
const GRACE_MILLISECONDS = 20_000
const WINDOW_MILLISECONDS = 10_000
const IBAN = 'DE89370400440532013000'
export const ABSENT_MILLISECONDS = 3 * GRACE_MILLISECONDS + 2 * WINDOW_MILLISECONDS

export const open = (sandbox: SandboxProcess, more: Partial<ExchangeConfig> = {}): Promise<Venue> =>
  openAt(sandbox, {
    exchange: 'okx',
    base_url: `${sandbox.url}/okx`,
    websocket_url: `${sandbox.url.replace('http', 'ws')}/okx/ws/v5`,
    listing_grace_ms: GRACE_MILLISECONDS,
    request_window_ms: WINDOW_MILLISECONDS,
    ...more,
  })

/** A person has verified these destinations. */
export async function verify(sandbox: SandboxProcess): Promise<void> {
  await sandbox.control('POST', 'okx/destinations', { asset: 'BTC', address: OUTSIDE_BTC })
  await sandbox.control('POST', 'okx/destinations', {
    asset: 'XRP',
    address: OUTSIDE_XRP,
    tag: '17',
  })
  await sandbox.control('POST', 'okx/destinations', { asset: 'EUR', address: IBAN })
}

export const toBank = (quantity: string, iban: string = IBAN) =>
  withdrawal({
    asset: 'EUR',
    protocol: 'SEPA',
    quantity: decimal(quantity),
    fee: 0n,
    destination_address: iban,
  })

export const withdrawal = (more: Partial<TransferOrder> = {}) =>
  withdrawalOf({ fee: decimal('0.00005'), ...more })

export const ACTS: Acts = {
  name: 'okx',
  orderOperation: 'order',
  withdrawOperation: 'withdrawal',
  lists: ['deposit-history', 'withdrawal-history'],
  absentAfter: ABSENT_MILLISECONDS,
  withdrawal: () => withdrawal(),
  toBank: () => toBank('123.45'),
}

/** What the sandbox holds for us in each wallet. */
export async function walletsOf(
  sandbox: SandboxProcess,
  asset: string,
): Promise<{ funding: string; trading: string }> {
  const holdings = await sandbox.control<{ owner: string; asset: string; total: string }[]>(
    'GET',
    'okx/holdings',
  )
  const of = (owner: string) =>
    holdings.find((holding) => holding.owner === owner && holding.asset === asset)?.total ?? '0'
  return { funding: of('funding'), trading: of('kontor') }
}

export const done = (...data: object[]) => ({ code: '0', msg: '', data })

/** OKX answers some paths like this; without more it lists no currencies and no money. */
export const withAnswers = (
  sandbox: SandboxProcess,
  answers: Record<string, unknown>,
  work: (venue: Required<Venue>) => Promise<void>,
): Promise<void> =>
  withRecordedAnswers(
    sandbox,
    {
      '/asset/currencies': done(),
      '/fiat/deposit-order-history': done(),
      '/fiat/withdrawal-order-history': done(),
      '/fiat/deposit-payment-methods': done(),
      '/fiat/withdrawal-payment-methods': done(),
      ...answers,
    },
    (url) => open(sandbox, { base_url: `${url}/okx` }),
    (venue) => work(venue as Required<Venue>),
  )

/** A deposit as OKX.Net's GetDepositHistory.txt has it; the values are ours. */
export const deposit = (depId: string, more: object) => ({
  actualDepBlkConfirm: '2',
  amt: '1',
  areaCodeFrom: '',
  ccy: 'BTC',
  chain: 'BTC-Bitcoin',
  depId,
  from: '',
  fromWdId: '',
  state: '2',
  to: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT',
  ts: '1674038705000',
  txId: 'fee235b3e812',
  ...more,
})
