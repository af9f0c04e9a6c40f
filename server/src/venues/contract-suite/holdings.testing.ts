/** Cases of what every venue has: balances and protocols. */
import assert from 'node:assert/strict'
import type { AssetProtocols, VenueBalance } from '../contract.ts'
import type { Case } from './trial.testing.ts'

export const HOLDING_CASES: readonly Case[] = [
  {
    title: 'C01 balances add up and name assets and protocols that exist',
    async run({ fixture: { venue } }) {
      const balances = await venue.balances()
      const protocols = await venue.protocols()
      assert.ok(balances.length > 0)
      for (const balance of balances) {
        const { asset, free, used, total } = balance
        assert.match(asset, /^[A-Z0-9._-]+$/)
        if (free !== null && used !== null && total !== null)
          assert.equal(free + used, total, asset)
        assert.ok(isKnown(balance, protocols), `${asset} ${balance.protocol}`)
      }
    },
  },
  {
    title: 'C02 protocols are named once, with native word and scale',
    async run({ fixture: { venue } }) {
      const assets = await venue.protocols()
      const names = assets.flatMap(({ asset, protocols }) =>
        protocols.map(({ protocol }) => `${asset} ${protocol}`),
      )
      assert.equal(new Set(names).size, names.length)
      for (const protocol of assets.flatMap(({ protocols }) => protocols)) {
        const { native, decimals } = protocol
        assert.ok(native.length > 0)
        assert.ok(Number.isInteger(decimals) && decimals >= 0 && decimals <= 18)
        assert.ok(protocol.deposit || protocol.withdraw)
      }
    },
  },
]

function isKnown({ asset, protocol }: VenueBalance, assets: readonly AssetProtocols[]): boolean {
  if (protocol === null) return true
  return assets.some(
    (known) => known.asset === asset && known.protocols.some((one) => one.protocol === protocol),
  )
}
