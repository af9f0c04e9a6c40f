/**
 * Coins and wires in and out: the exchange's own addresses, its withdrawal fees, deposits and
 * withdrawals.
 */
import { randomBytes } from 'node:crypto'
import type { BankRails, Chain } from '../part.ts'
import type { World } from '../world.ts'
import type { Accounts } from './accounts.ts'
import { openDeposits } from './deposits.ts'
import type { Deposit } from './deposits.ts'
import { figure } from './figures.ts'
import type { Figure } from './figures.ts'
import { isMoney } from './rules.ts'
import type { Asset, Rules } from './rules.ts'
import type { Settings } from './settings.ts'
import type { ListFilter } from './tables.ts'
import { openWithdrawals } from './withdrawals.ts'
import type { Withdrawals } from './withdrawals.ts'

type Destination = { address: string; tag: string | null }

export type Funding = {
  /** Where the exchange receives this asset and from where it sends it; an IBAN for EUR. */
  address(asset: Asset): Destination
  /** The code the client writes into a wire. */
  reference: string
  deposits(filter: ListFilter): Deposit[]
  withdrawals: Withdrawals['list']
  payouts: Withdrawals['payouts']
  fee(asset: Asset): Figure
  setFee(asset: Asset, fee: string): void
  withdraw: Withdrawals['request']
  cancel: Withdrawals['cancel']
  decide: Withdrawals['decide']
  comeBack: Withdrawals['comeBack']
  /** By hand: credits a deposit that waits on hold. */
  releaseDeposit(refid: string): boolean
  /** By hand: takes a credited deposit back. */
  takeBackDeposit(refid: string): boolean
}

type Parts = {
  world: World
  rules: Rules
  chain: Chain
  bank: BankRails
  accounts: Accounts
  settings: Settings
  /** Whether a wire from this account is the client's even without the reference. */
  knowsPayer(iban: string): boolean
}

export function openFunding(parts: Parts): Funding {
  const { world, rules, settings } = parts
  const reference = settings.once(
    'reference',
    () => `${rules.reference_prefix}${randomBytes(3).toString('hex').toUpperCase()}`,
  )
  const address = (asset: Asset) => ({
    address: ownAddress(parts, asset),
    tag: asset.tagged ? rules.client_tag : null,
  })
  world.commit(() => {
    for (const asset of rules.assets) address(asset)
  })
  const deposits = openDeposits({ ...parts, reference })
  const withdrawals = openWithdrawals({ ...parts, senderOf: (asset) => ownAddress(parts, asset) })
  return {
    address,
    reference,
    fee: (asset) => figure(settings.get(`fee:${asset.id}`) ?? asset.withdraw_fee),
    setFee: (asset, value) => {
      settings.set(`fee:${asset.id}`, value)
    },
    deposits: deposits.list,
    releaseDeposit: deposits.release,
    takeBackDeposit: deposits.takeBack,
    withdrawals: withdrawals.list,
    payouts: withdrawals.payouts,
    withdraw: withdrawals.request,
    cancel: withdrawals.cancel,
    decide: withdrawals.decide,
    comeBack: withdrawals.comeBack,
  }
}

/** Made when it is first needed. */
function ownAddress({ rules, chain, bank, settings }: Parts, asset: Asset): string {
  if (isMoney(asset)) {
    const owner = { part: rules.part, locator: 'clients', name: rules.bank_name }
    return bank.account(owner, asset.common).iban
  }
  return settings.once(`address:${asset.id}`, () =>
    chain.newAddress(asset.protocol, { part: rules.part, locator: asset.id }),
  )
}
