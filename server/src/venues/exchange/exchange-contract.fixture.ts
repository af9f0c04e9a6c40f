/** For tests: what every venue must do, asked of an exchange at the sandbox. */
import { decimal, format } from '../../core/decimal.ts'
import { contractSuite } from '../contract-suite/contract-suite.testing.ts'
import { oddRecordsOf } from '../contract-suite/odd-records.testing.ts'
import type { RecordStage } from '../contract-suite/trial.testing.ts'
import type { AccountTrade, Venue } from '../contract.ts'
import { startSandbox } from '../sandbox-process.testing.ts'
import type { SandboxProcess } from '../sandbox-process.testing.ts'
import type { ExchangeConfig } from './exchange.ts'
import { addressOf, HASTY, order, placeByHand } from './exchange.fixture.ts'
import type { Acts } from './exchange.fixture.ts'

type ContractOptions = {
  /** What comes from outside. */
  arriving: 'BTC' | 'ETH'
  prepare?: (sandbox: SandboxProcess) => Promise<void>
}

/** The numbered cases, ten times as fast. */
export function exchangeContract(
  open: (sandbox: SandboxProcess, more?: Partial<ExchangeConfig>) => Promise<Venue>,
  { name, orderOperation, withdrawOperation, lists, absentAfter, withdrawal, toBank }: Acts,
  { arriving, prepare = async () => undefined }: ContractOptions,
): void {
  contractSuite(name, async () => {
    const sandbox = await startSandbox()
    await sandbox.control('POST', 'clock', { pace: 10 })
    await prepare(sandbox)
    const act = (operation: string) => ({
      losesAnswer: () => sandbox.fault(name, operation, 'TIMEOUT_AFTER_ACCEPT'),
      overLimit: () => sandbox.fault(name, operation, 'LIMIT'),
      absentAfter,
      received: () => sandbox.received(name, operation),
    })
    return {
      venue: await open(sandbox),
      hasty: await open(sandbox, HASTY),
      down: sandbox.kill,
      up: sandbox.restart,
      close: sandbox.stop,
      transfers: {
        ...act(withdrawOperation),
        good: withdrawal,
        refused: () => ({ ...withdrawal(), quantity: decimal('400') }),
        arrive: async () => {
          const { address } = await addressOf(sandbox, name, arriving)
          await sandbox.control('POST', 'chain/send', {
            asset: arriving,
            quantity: '0.123',
            to_address: address,
          })
          return (movement) =>
            movement.asset === arriving &&
            movement.quantity === decimal('0.123') &&
            movement.destination_address === address
        },
        oddRecords: oddRecordsOf(sandbox, name, lists),
        records: recordStage(sandbox, name, toBank),
      },
      trading: {
        ...act(orderOperation),
        good: () => order(),
        refused: () => order({ quantity: decimal('100') }),
        outside: async (side, quantity) => {
          const fields = { side: side.toLowerCase(), type: 'market', volume: format(quantity) }
          return (await placeByHand(sandbox, name, fields)).id
        },
        // OKX documents no fill that is taken back.
        ...(name === 'okx'
          ? {}
          : {
              bust: async ({ foreign_id }: AccountTrade) => {
                await sandbox.control('POST', `${name}/trades/${foreign_id}/bust`, {})
              },
            }),
      },
      prices: { base_asset: 'BTC', quote_asset: 'EUR' },
      news: {
        // Bitstamp has no channel for them.
        tellsTransfers: name !== 'bitstamp',
        // OKX has a connection for orders and one for transfers.
        cut: () => sandbox.fault(name, 'websocket', 'DOWN', { remaining: name === 'okx' ? 2 : 1 }),
      },
    }
  })
}

/** OKX documents no deposit that goes back. */
const recordStage = (
  sandbox: SandboxProcess,
  name: string,
  toBank: Acts['toBank'],
): RecordStage => ({
  ...(name === 'okx'
    ? {}
    : {
        sendBack: async (foreign_id: string) => {
          await sandbox.control('POST', `${name}/deposits/${foreign_id}/return`, {})
        },
      }),
  comeBack: async (foreign_id) => {
    await sandbox.control('POST', `${name}/withdrawals/${foreign_id}`, { action: 'return' })
  },
  ...(toBank === undefined ? {} : { toBank }),
  waitDays: async (days) => {
    await sandbox.control('POST', 'clock', { advance_ms: days * 86_400_000 })
  },
  ...(name === 'bitstamp' ? { unheardOf: () => unheardOf(sandbox, name) } : {}),
})

/** The exchange books something that its manual does not know. */
async function unheardOf(sandbox: SandboxProcess, name: string): Promise<void> {
  await sandbox.control('POST', `${name}/movements`, { type: '61', asset: 'EUR', quantity: '0.5' })
}
