/**
 * For tests of exchanges at the sandbox: opening, orders, lookups, and the faults that every
 * exchange must survive.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { until } from '../../core/testing.ts'
import type { OrderLookup, TransferLookup, TransferOrder, Venue, VenueOrder } from '../contract.ts'
import { CREDENTIAL } from '../lease/lease.testing.ts'
import type { SandboxProcess } from '../sandbox-process.testing.ts'
import { openExchange } from './exchange.ts'
import type { ExchangeConfig } from './exchange.ts'

export const OUTSIDE_BTC = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT'
export const OUTSIDE_XRP = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh'
export const OUTSIDE_XLM = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ'

/** Long enough for the slowest machine. */
const PATIENT_MILLISECONDS = 30_000
/** For answers that never come. */
export const HASTY = { request_timeout_ms: 2_500 }
/** For connections that say nothing any more. */
export const WATCHFUL = { keep_alive_ms: 1_000 }

export async function openAt(
  sandbox: SandboxProcess,
  config: Pick<ExchangeConfig, 'exchange' | 'base_url' | 'websocket_url'> & Partial<ExchangeConfig>,
): Promise<Venue> {
  const credentials = JSON.parse(await sandbox.credential(`${config.exchange}.json`)) as Pick<
    ExchangeConfig,
    'api_key' | 'api_secret' | 'passphrase'
  >
  const patient = { request_timeout_ms: PATIENT_MILLISECONDS, tier: 'AGREED' }
  return openExchange({ ...credentials, ...patient, ...config }, CREDENTIAL)
}

export function order(more: Partial<VenueOrder> = {}): VenueOrder {
  return {
    client_order_id: newId(),
    base_asset: 'BTC',
    quote_asset: 'EUR',
    side: 'BUY',
    type: 'MARKET',
    price: null,
    quantity: decimal('0.01'),
    tif_mode: 'IOC',
    expires_at: null,
    ...more,
  }
}

let counter = 0
/** Each of another quantity, 0.0100n BTC. */
export function withdrawalOf(more: Partial<TransferOrder>): TransferOrder {
  counter += 1
  return {
    external_id: newId(),
    asset: 'BTC',
    protocol: 'BTC',
    quantity: decimal('0.01') + BigInt(counter) * decimal('0.00001'),
    speed_level: 'DEFAULT',
    fee: decimal('0.0001'),
    source_wallet: null,
    destination_address: OUTSIDE_BTC,
    tag: null,
    transfer: { from: {}, to: {} },
    recipient_name: null,
    ...more,
  }
}

export const lookup = (
  transferOrder: TransferOrder,
  more: Partial<TransferLookup> = {},
): TransferLookup => ({
  ...transferOrder,
  foreign_id: null,
  submitted_at: Date.now(),
  claimed: [],
  ...more,
})
export const orderLookup = (
  venueOrder: VenueOrder,
  more: Partial<OrderLookup> = {},
): OrderLookup => ({
  ...venueOrder,
  foreign_id: null,
  sent_at: Date.now(),
  ...more,
})

export async function addressOf(
  sandbox: SandboxProcess,
  exchange: string,
  asset: string,
): Promise<{ address: string; tag: string | null }> {
  const { funding } = await sandbox.control<{
    funding: { asset: string; address: string; tag: string | null }[]
  }>('GET', exchange)
  return funding.find((account) => account.asset === asset) as {
    address: string
    tag: string | null
  }
}

/** An order as the sandbox keeps it. */
type KeptOrder = {
  id: string
  type: string
  tif: string
  status: string
  side: string
  price: string
  volume: string
  executed: string
  expires_at: number | null
  cl_ord_id: string | null
  trades: { id: string; trade_id: number }[]
}

/** Placed in the account without Kontor. */
export async function placeByHand(
  sandbox: SandboxProcess,
  name: string,
  fields: Record<string, unknown>,
): Promise<KeptOrder> {
  return sandbox.control('POST', `${name}/orders`, { pair: 'BTC/EUR', ...fields })
}

/** Our reference as the exchange gets it. */
export const spelled = (name: string, reference: string): string =>
  name === 'okx' ? reference.replaceAll('-', '') : reference

export async function kept(
  sandbox: SandboxProcess,
  name: string,
  client_order_id: string,
): Promise<KeptOrder | undefined> {
  return (await sandbox.control<KeptOrder[]>('GET', `${name}/orders`)).find(
    (keptOrder) => keptOrder.cl_ord_id === spelled(name, client_order_id),
  )
}

/** What is unknown for now becomes certain. */
const certain = <Found extends { lookup: string }>(find: () => Promise<Found>) =>
  until('a certain answer', async () => {
    const found = await find()
    return found.lookup === 'unknown' ? undefined : found
  })

/**
 * The exchange's name, how its sandbox calls the two acts in faults and counts, and after how many
 * milliseconds what was never sent is absent.
 */
export type Acts = {
  name: string
  orderOperation: string
  withdrawOperation: string
  /** The operations that list movements. */
  lists: readonly string[]
  absentAfter: number
  withdrawal(): TransferOrder
  /** Absent where the exchange does not move money by these calls. */
  toBank?(): TransferOrder
}
/** One exchange at a sandbox; `hasty` waits a short time only. */
export type FaultDesk = {
  readonly sandbox: SandboxProcess
  readonly venue: Venue
  readonly hasty: Venue
}

/** What the venue does with an act under a fault, and whether it was executed. */
const FAULTS = [
  { kind: 'TIMEOUT_AFTER_ACCEPT', outcome: 'unknown', executed: true },
  { kind: 'LATE', outcome: 'unknown', executed: true },
  { kind: 'DOWN', outcome: 'unknown', executed: false },
  { kind: 'REFUSE', outcome: 'refused', executed: false },
] as const

/** One test per act and fault: what it answers, and what is found afterwards; never twice. */
export function faultTests(
  desk: FaultDesk,
  { name, orderOperation, withdrawOperation, absentAfter, withdrawal }: Acts,
): void {
  const acts = (venue: Venue) => venue as Required<Pick<Venue, 'trading' | 'transfers'>>
  for (const { kind, outcome, executed } of FAULTS) {
    const sender = () => acts(executed ? desk.hasty : desk.venue)
    const venue = () => acts(desk.venue)
    const lookupAnswer = executed ? 'found' : 'absent'
    const proof = `${kind}: ${outcome}, then ${lookupAnswer}, never twice`
    test(`${orderOperation} ${proof}`, async () => {
      await desk.sandbox.fault(name, orderOperation, kind, { delay_ms: 6_000 })
      const one = order()
      const sent_at = Date.now() - (executed ? 0 : absentAfter)
      assert.equal((await sender().trading.send(one)).outcome, outcome)
      const answer = await certain(() => venue().trading.find(orderLookup(one, { sent_at })))
      assert.equal(answer.lookup, lookupAnswer)
      assert.ok(
        (await desk.sandbox.received(name, orderOperation, spelled(name, one.client_order_id))) <=
          1,
      )
    })
    test(`${withdrawOperation} ${proof}`, async () => {
      await desk.sandbox.fault(name, withdrawOperation, kind, { delay_ms: 6_000 })
      const one = withdrawal()
      const submitted_at = Date.now() - (executed ? 0 : absentAfter)
      const earlier = await desk.sandbox.received(name, withdrawOperation)
      assert.equal((await sender().transfers.send(one)).outcome, outcome)
      const answer = await certain(() => venue().transfers.find(lookup(one, { submitted_at })))
      assert.equal(answer.lookup, lookupAnswer)
      assert.ok((await desk.sandbox.received(name, withdrawOperation)) <= earlier + 1)
    })
  }
}

/** Withdrawals that look alike: claimed ones do not count, two open ones are unknown. */
export async function assertTwinsAreUnknown(
  transfers: NonNullable<Venue['transfers']>,
  { withdrawal: make, absentAfter }: Acts,
): Promise<void> {
  const [withdrawal, submitted_at] = [make(), Date.now()]
  const first = await transfers.send(withdrawal)
  const second = await transfers.send({ ...withdrawal, external_id: newId() })
  assert.ok(first.outcome === 'accepted' && second.outcome === 'accepted')
  assert.equal((await transfers.find(lookup(withdrawal, { submitted_at }))).lookup, 'unknown')
  const found = await transfers.find(
    lookup(withdrawal, { submitted_at, claimed: [first.report.foreign_id] }),
  )
  assert.ok(found.lookup === 'found' && found.report.foreign_id === second.report.foreign_id)
  const both = [first.report.foreign_id, second.report.foreign_id]
  assert.equal(
    (
      await transfers.find(
        lookup(withdrawal, { submitted_at: submitted_at - absentAfter, claimed: both }),
      )
    ).lookup,
    'absent',
  )
  // A stranger's withdrawal with the same content from before: nobody can tell.
  assert.equal(
    (await transfers.find(lookup(withdrawal, { submitted_at: submitted_at + 600_000 }))).lookup,
    'unknown',
  )
}
