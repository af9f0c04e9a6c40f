/** For tests: a venue that models what can happen to a transfer. */
import type { TransferOrder, TransferReport, Transfers } from '../../venues/index.ts'
import type { FakeVenue } from './fake-venue.testing.ts'

/**
 * What the venue does with the next send. `lost`: the request never arrives. `late`: it arrives,
 * the answer does not.
 */
type Mode = 'accept' | 'refuse' | 'late' | 'lost'

type TransferModel = Transfers & {
  mode: Mode
  sends: TransferOrder[]
  accepted: Map<string, TransferReport>
  down: boolean
  finish(external_id: string, report: Partial<TransferReport>): void
}

export function transferModel(fake: FakeVenue): TransferModel {
  const model = {
    mode: 'accept' as Mode,
    sends: [] as TransferOrder[],
    accepted: new Map<string, TransferReport>(),
    down: false,
    async send(order: TransferOrder) {
      model.sends.push(order)
      if (model.mode === 'refuse')
        return { outcome: 'refused' as const, reason: 'not today', native: 'NOPE' }
      if (model.mode === 'lost') return { outcome: 'unknown' as const, reason: 'time-out' }
      const report: TransferReport = {
        foreign_id: `venue-${model.accepted.size + 1}-${fake.id}`,
        state: 'PENDING',
        sub_state: 'SUBMITTED',
        reason: null,
        transaction_hash: null,
        confirmations: null,
        fee: null,
        fee_asset: null,
      }
      model.accepted.set(order.external_id, report)
      return model.mode === 'late'
        ? { outcome: 'unknown' as const, reason: 'time-out' }
        : { outcome: 'accepted' as const, report }
    },
    async find(lookup: TransferOrder) {
      if (model.down) return { lookup: 'unknown' as const, reason: 'down' }
      const report = model.accepted.get(lookup.external_id)
      return report === undefined
        ? { lookup: 'absent' as const }
        : { lookup: 'found' as const, report }
    },
    finish(external_id: string, report: Partial<TransferReport>) {
      const known = model.accepted.get(external_id)
      if (known === undefined) throw new Error(`${external_id} was never accepted`)
      model.accepted.set(external_id, {
        ...known,
        state: 'SUCCESS',
        sub_state: 'COMPLETED',
        ...report,
      })
    },
  }
  fake.transfers = model
  return model as unknown as TransferModel
}
