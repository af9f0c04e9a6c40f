/** What clients and the outside world do, of which some is chosen at random. */
import { setTimeout as pause } from 'node:timers/promises'
import { mustExist } from '../../../server/src/core/assert.ts'
import { newId } from '../../../server/src/core/ids.ts'
import { routeOf, TO_BOB, TO_NOBODY, VAULT, WAYS } from '../faults/ways.ts'
import type { Way } from '../faults/ways.ts'
import type { VenueKey } from '../faults/world-configuration.ts'
import type { ChaosFlow } from './flow.ts'
import { TRADES } from './flows-of-trading.ts'

const DEFAULT_SPEED = { speed_level: 'DEFAULT' }
/** How many of those who ask for a payment want it no more. */
const CHANGES_MIND = 0.1
const JOB_LOOKS = 40
const JOB_LOOK_MILLISECONDS = 500

const withdrawal = (name: string, way: Way): ChaosFlow => ({
  name,
  prepare: (ground) => routeOf(ground, name, way),
  async run({ ground, journal, dice }) {
    const route = await routeOf(ground, name, way)
    const { account_id } = ground.customer
    const quantity = ground.quantity(way.asset)
    const { id } = await ground.call<{ id: string }>(
      'POST',
      `/treasury/wallets/routes/${route}/withdrawals`,
      { account_id, quantity, ...DEFAULT_SPEED },
    )
    journal.payments.push({ id, venue: way.venue, account_id, asset: way.asset, quantity })
    if (dice.roll() < CHANGES_MIND)
      await ground.call('POST', `/treasury/withdrawals/${id}/cancel`, { reason: 'chaos' })
    return `${id} ${quantity} ${way.asset}`
  },
})

const ownTransfer = (venue: VenueKey, label: string, asset: string): ChaosFlow => ({
  name: `own transfer: ${label}`,
  async run({ ground, journal }) {
    const route = await ground.route(label)
    const quantity = ground.quantity(asset)
    const { id } = await ground.call<{ id: string }>(
      'POST',
      `/treasury/wallets/routes/${route}/withdrawals`,
      { quantity, ...DEFAULT_SPEED },
    )
    journal.payments.push({ id, venue, account_id: null, asset, quantity })
    return `${id} ${quantity} ${asset}`
  },
})

/** Two payments over one route, which leave as one. */
const batch = (name: string, way: Way): ChaosFlow => ({
  name: `batch: ${name}`,
  prepare: (ground) => routeOf(ground, name, way),
  async run({ ground, journal }) {
    const route_id = await routeOf(ground, name, way)
    const { account_id } = ground.customer
    const withdrawals = [1, 2].map(() => ({
      route_id,
      account_id,
      quantity: ground.quantity(way.asset),
      ...DEFAULT_SPEED,
    }))
    const path = '/treasury/withdrawals/batch'
    const prepared = await ground.call('POST', `${path}/prepare`, { withdrawals })
    const shares = withdrawals.map(({ quantity }) => ({ account_id, asset: way.asset, quantity }))
    for (const share of shares) journal.prepared.add(share)
    const [row, ...more] = await ground.call<{ id: string }[]>('POST', `${path}/submit`, {
      withdrawals: prepared,
    })
    const { id } = mustExist(row, 'a batch makes a withdrawal')
    if (more.length > 0) journal.wrong.push(`a batch over one route made ${more.length + 1}`)
    for (const share of shares) {
      journal.prepared.delete(share)
      journal.payments.push({ id, venue: way.venue, ...share })
    }
    return id
  },
})

const deposit = (venue: VenueKey, label: string): ChaosFlow => ({
  name: `deposit: ${label}`,
  async run({ ground, journal }) {
    const { asset, address } = await ground.wallet(label)
    const quantity = ground.quantity(asset)
    const { account_id } = ground.customer
    await (asset === 'EUR'
      ? ground.sandbox.control('POST', 'bank/wire', {
          to_iban: address,
          quantity,
          currency: asset,
          reference: 'thanks',
        })
      : ground.sandbox.control('POST', 'chain/send', { asset, quantity, to_address: address }))
    journal.arrivals.push({ venue, account_id, asset, quantity })
    return `${quantity} ${asset}`
  },
})

const bookTransfer: ChaosFlow = {
  name: 'book transfer',
  async run({ ground, journal, dice }) {
    const ends = [ground.customer.account_id, ground.other.account_id]
    const [from = '', to = ''] = dice.roll() < 0.5 ? ends : ends.toReversed()
    const asset = dice.pick(['EUR', 'BTC', 'ETH', 'USDC'])
    const quantity = ground.quantity(asset)
    const { id } = await ground.call<{ id: string }>('POST', '/book-transfers', {
      from_account_id: from,
      to_account_id: to,
      asset,
      quantity,
      reason: 'chaos',
    })
    journal.bookTransfers.push({ id, from, to, asset, quantity })
    return `${id} ${quantity} ${asset}`
  },
}

const manualBooking: ChaosFlow = {
  name: 'manual booking',
  async run({ ground, journal, dice }) {
    const accounts = await ground.call<{ id: string; type: string }[]>('GET', '/accounts')
    const house = mustExist(
      accounts.find(({ type }) => type === 'HOUSE'),
      'the house',
    )
    const { account_id } = dice.pick([ground.customer, ground.other])
    const asset = dice.pick(['EUR', 'BTC', 'ETH', 'USDC'])
    const quantity = ground.quantity(asset)
    const { id } = await ground.call<{ id: string }>('POST', '/bookings', {
      asset,
      description: `chaos ${newId()}`,
      legs: [
        { account_id: house.id, type: 'DEBIT', quantity },
        { account_id, type: 'CREDIT', quantity },
      ],
    })
    journal.bookings.push({ id, account_id, asset, quantity })
    return `${id} ${quantity} ${asset}`
  },
}

/** A job that moves a fixed quantity, and is stopped after its first run. */
const transferJob: ChaosFlow = {
  name: 'transfer job: vault to exchange',
  async run({ ground, journal }) {
    const body = {
      route: await ground.route('Vault to Bitstamp BTC'),
      active: true,
      interval: 15,
      ...DEFAULT_SPEED,
      condition_type: 'CONDITIONAL',
      quantity: ground.quantity('BTC'),
      conditions: [{ balance_side: 'from', predicate: 'GT', quantity: '0.5' }],
    }
    const { id } = await ground.call<{ id: string }>('POST', '/treasury/jobs', body)
    journal.jobs.add(id)
    for (let look = 0; look < JOB_LOOKS; look += 1) {
      const runs = await ground.call<unknown[]>('GET', `/treasury/jobs/${id}/runs`)
      if (runs.length > 0) break
      await pause(JOB_LOOK_MILLISECONDS)
    }
    await ground.call('PUT', '/treasury/jobs', { ...body, id, active: false })
    return id
  },
}

const walletCreation = (
  venue: 'fireblocks' | 'managed',
  wallet: string,
  configuration: object,
): ChaosFlow => ({
  name: `wallet creation: ${venue}`,
  async run({ ground, journal }) {
    const { venue_id, service_id } = await ground.wallet(wallet)
    const { customer } = ground
    const label = `Made ${newId()}`
    const { id } = await ground.call<{ id: string }>('POST', '/treasury/wallets', {
      type: 'CUSTOMER',
      asset: 'BTC',
      address: '',
      label,
      venue_id,
      service_id,
      account_id: customer.account_id,
      customer_id: customer.id,
      access_type: 'INTERNAL',
      configuration: { create_external_wallet: true, ...configuration },
    })
    journal.creations.push({ id, label, venue })
    return id
  },
})

export const FLOWS: readonly ChaosFlow[] = [
  ...Object.entries(WAYS).map(([name, way]) => withdrawal(name, way)),
  withdrawal('withdrawal: comes back', TO_NOBODY),
  batch('vault', VAULT),
  batch('bank', TO_BOB),
  ownTransfer('fireblocks', 'Vault to Kraken BTC', 'BTC'),
  ownTransfer('fireblocks', 'Vault to Kraken ETH', 'ETH'),
  ownTransfer('kraken', 'Kraken to bank EUR', 'EUR'),
  ownTransfer('bank', 'Bank to Bitstamp EUR', 'EUR'),
  deposit('fireblocks', 'Vault ETH'),
  deposit('kraken', 'Kraken BTC'),
  deposit('bitstamp', 'Bitstamp BTC'),
  deposit('okx', 'OKX BTC'),
  deposit('managed', 'Managed BTC'),
  deposit('bank', 'Bank EUR'),
  bookTransfer,
  manualBooking,
  transferJob,
  walletCreation('fireblocks', 'Vault BTC', { protocol: 'BTC' }),
  walletCreation('managed', 'Managed BTC', { customer_id: 'kontor' }),
  ...TRADES,
]
