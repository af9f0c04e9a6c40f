/** For tests: a process of its own hands payments over, and is killed at a point. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { format } from '../../core/decimal.ts'
import { WITH_FAILPOINTS } from '../../core/testing.ts'
import type { TransferOrder } from '../contract.ts'

const SENDER = new URL('sending-process.testing.ts', import.meta.url).pathname

/** `values`: the options and secrets of the configuration. */
export async function killSender(
  values: Record<string, string>,
  point: string,
  orders: readonly TransferOrder[],
): Promise<void> {
  const sender = spawn(process.execPath, [...WITH_FAILPOINTS, SENDER], {
    env: { ...process.env, KONTOR_FAILPOINT: point },
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  const given = orders.map((order) => ({ ...order, quantity: format(order.quantity), fee: '0' }))
  sender.stdin?.end(JSON.stringify({ values, orders: given }))
  const [, signal] = (await once(sender, 'exit')) as [number | null, string | null]
  assert.equal(signal, 'SIGKILL')
}
