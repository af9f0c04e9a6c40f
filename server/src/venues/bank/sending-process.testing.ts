/** A process of its own for tests: hands over the payments that it reads, and may be killed. */
import { text } from 'node:stream/consumers'
import { decimal } from '../../core/decimal.ts'
import type { TransferOrder } from '../contract.ts'
import { openBank } from './bank.ts'
import { bankConfig } from './config.ts'

type Given = {
  values: Record<string, string>
  orders: (Omit<TransferOrder, 'quantity' | 'fee'> & { quantity: string; fee: string })[]
}

const { values, orders } = JSON.parse(await text(process.stdin)) as Given
const bank = await openBank(bankConfig(values), (problem) => {
  process.stderr.write(`${problem}\n`)
})
await Promise.all(
  orders.map((order) =>
    bank.transfers?.send({
      ...order,
      quantity: decimal(order.quantity),
      fee: decimal(order.fee),
    }),
  ),
)
await bank.close()
