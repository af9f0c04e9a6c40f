import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Fireblocks } from '@fireblocks/ts-sdk'
import { decimal } from '../../core/decimal.ts'
import { withdrawalOf } from '../exchange/exchange.fixture.ts'
import { shippedTerms } from '../terms.ts'
import { feePart } from './fees.ts'

test('a fee of our own goes where the vault documents one, and is refused elsewhere', async () => {
  const order = withdrawalOf({ speed_level: 'CUSTOM', fee: decimal('0.25') })
  const partOf = async (asset: string) => {
    const term = shippedTerms('CUSTODY_VAULT').find((known) => known.asset === asset)
    assert.ok(term !== undefined)
    return feePart({} as Fireblocks, term, order)
  }
  assert.deepEqual(await partOf('XRP'), { fee: '0.25' })
  assert.deepEqual(await partOf('ETH'), { networkFee: '0.25' })
  assert.deepEqual(await partOf('XLM'), {
    outcome: 'refused',
    reason: 'the vault takes no custom fee for XLM on XLM',
    native: null,
  })
})
