import assert from 'node:assert/strict'
import { it } from 'node:test'
import { totalsOf } from './sums.ts'

const row = (asset: string, quantity: string, state = 'SUCCESS') => ({ asset, quantity, state })

it('adds up amounts exactly, by currency, without what does not count', () => {
  const sums = [
    {
      label: 'Amount',
      amount: ({ state, quantity }: ReturnType<typeof row>) =>
        state === 'FAILED' ? null : quantity,
      asset: ({ asset }: ReturnType<typeof row>) => asset,
    },
  ]
  const rows = [
    row('EUR', '9007199254740993.01'),
    row('BTC', '0.000000000000000001'),
    row('EUR', '0.02'),
    row('BTC', '0.1'),
    row('EUR', '5', 'FAILED'),
  ]
  assert.deepEqual(totalsOf(sums, rows), [
    { label: 'Amount', asset: 'BTC', amount: '0.100000000000000001' },
    { label: 'Amount', asset: 'EUR', amount: '9007199254740993.03' },
  ])
  assert.deepEqual(totalsOf(sums, []), [])
})

type Traded = { side: string; quantity: string }

it('keeps sides apart', () => {
  const sums = [
    {
      label: ({ side }: Traded) => side,
      amount: ({ quantity }: Traded) => quantity,
      asset: () => 'BTC',
    },
  ]
  assert.deepEqual(
    totalsOf(sums, [
      { side: 'Sold', quantity: '1' },
      { side: 'Bought', quantity: '2' },
      { side: 'Sold', quantity: '3' },
    ]),
    [
      { label: 'Bought', asset: 'BTC', amount: '2' },
      { label: 'Sold', asset: 'BTC', amount: '4' },
    ],
  )
})
