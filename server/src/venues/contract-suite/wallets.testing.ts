/** Cases of a venue that makes wallets. */
import assert from 'node:assert/strict'
import { until } from '../../core/testing.ts'
import { checkAddress } from '../addresses.ts'
import type { Venue, WalletCreation, WalletOrder, WalletReport } from '../contract.ts'
import type { Case, WalletStage } from './trial.testing.ts'

type WalletTrial = {
  venue: Venue
  wallets: WalletCreation
  /** Of the impatient venue. */
  hasty: WalletCreation
  stage: WalletStage
}

/** Skipped where no wallets are made. */
const walletCase = (title: string, run: (walletTrial: WalletTrial) => Promise<void>): Case => ({
  title,
  run({ fixture, hasty }, context) {
    const { venue, wallets: stage } = fixture
    const { wallets } = venue
    if (wallets === undefined || stage === undefined) return context.skip('makes no wallets')
    return run({ venue, wallets, hasty: hasty.wallets ?? wallets, stage })
  },
})

export const WALLET_CASES: readonly Case[] = [
  walletCase(
    'C15 a wallet is made once under its reference, can receive, and shows among the balances',
    async ({ venue, wallets, stage }) => {
      const order = stage.good()
      assert.deepEqual(await wallets.find(order), { lookup: 'absent' })
      const earlier = await stage.received()
      assert.equal((await wallets.create(order)).outcome, 'accepted')
      const report = await waitForReport(wallets, order)
      assert.ok(report.state === 'ACTIVE', JSON.stringify(report))
      const { wallet, address, tag } = report
      const { asset, protocol } = order
      assert.notEqual(checkAddress({ asset, protocol, address, tag }), 'invalid', address)
      assert.deepEqual(await wallets.create(order), { outcome: 'accepted', report })
      assert.deepEqual(await waitForReport(wallets, order), report)
      const balances = await venue.balances()
      assert.ok(balances.some((balance) => balance.wallet === wallet && balance.asset === asset))
      const other = stage.good()
      await wallets.create(other)
      const second = await waitForReport(wallets, other)
      assert.ok(second.state === 'ACTIVE' && (second.address !== address || second.tag !== tag))
      // A repeat may reach the venue again; what counts is that there is one wallet for each.
      assert.ok((await stage.received()) >= earlier + 2)
    },
  ),
  walletCase(
    'C16 a lost answer is not a refusal, and the wallet is made once',
    async ({ venue, wallets, hasty, stage }) => {
      const order = stage.good()
      const before = (await venue.balances()).map((balance) => balance.wallet)
      await stage.losesAnswer()
      assert.equal((await hasty.create(order)).outcome, 'unknown')
      if ((await wallets.find(order)).lookup === 'absent') await wallets.create(order)
      const report = await waitForReport(wallets, order)
      assert.ok(report.state === 'ACTIVE')
      const after = (await venue.balances()).map((balance) => balance.wallet)
      assert.deepEqual(
        after.filter((wallet) => !before.includes(wallet)),
        before.includes(report.wallet) ? [] : [report.wallet],
      )
    },
  ),
  walletCase(
    'C17 what the venue refuses to make is refused or FAILED',
    async ({ wallets, stage }) => {
      const order = stage.refused()
      const answer = await wallets.create(order)
      if (answer.outcome !== 'refused')
        assert.equal((await waitForReport(wallets, order)).state, 'FAILED')
    },
  ),
]

/** When the wallet is made, or will never be. */
async function waitForReport(
  wallets: WalletCreation,
  order: WalletOrder,
): Promise<Exclude<WalletReport, { state: 'CREATING' }>> {
  return until('the wallet is made or not', async () => {
    const found = await wallets.find(order)
    return found.lookup === 'found' && found.report.state !== 'CREATING' ? found.report : undefined
  })
}
