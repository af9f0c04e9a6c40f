/** How the simulated venues send and report transfers. */
import { decimal } from '../../src/core/decimal.ts'
import { ApiError, refuse } from '../../src/core/errors.ts'
import type { AssetProtocols, TransferReport, Venue, VenueKind } from '../../src/venues/index.ts'
import type { SimulatedVenues } from './venues.ts'

type Transfers = NonNullable<Venue['transfers']>
type Allowlist = NonNullable<Venue['allowlist']>

const field = (name: string) => ({
  name,
  type: 'string' as const,
  required: true,
  description: name,
})

const FIELDS = {
  EXCHANGE: { from: [field('key')], to: [] },
  CUSTODY_VAULT: { from: [field('source_vault_account_id')], to: [] },
  BANK: { from: [], to: [field('name'), field('reference')] },
}

export const APPROVING_ALLOWLIST: Allowlist = {
  collect: async ({ external_id }) => ({
    outcome: 'accepted',
    report: { collection: external_id },
  }),
  allow: async () => ({
    outcome: 'accepted',
    report: { state: 'APPROVED', transfer: { from: {}, to: {} } },
  }),
  state: async () => 'APPROVED',
}

export function simulatedTransfers(
  venues: SimulatedVenues,
  kind: VenueKind,
  protocols: readonly AssetProtocols[],
): Transfers {
  return {
    fee_deducted: false,
    fields(asset, protocol) {
      const isPossible = protocols.some(
        (known) => known.asset === asset && known.protocols[0]?.protocol === protocol,
      )
      if (!isPossible)
        throw refuse(
          'UNSUPPORTED_BY_VENUE',
          'protocol',
          `${asset} on ${protocol} is not possible here`,
        )
      return FIELDS[kind as keyof typeof FIELDS]
    },
    async estimateFee({ asset }) {
      if (venues.nextOutcome() === 'unknown')
        throw new ApiError('VenueUnreachable', 'the venue does not answer just now')
      const speed_levels = {
        DEFAULT: decimal('0.01'),
        FAST: decimal('0.02'),
        SLOW: decimal('0.01'),
      }
      return { asset, custom: kind === 'CUSTODY_VAULT', speed_levels }
    },
    ...sending(venues),
    async incoming(cursor) {
      const movements = venues.incoming
        .slice(Number(cursor ?? '0'))
        .filter((incoming) => protocols.some(({ asset }) => asset === incoming.asset))
        .map((incoming) => ({ ...incoming, foreign_id: `${kind}-${incoming.foreign_id}` }))
      return { movements, cursor: String(venues.incoming.length) }
    },
    ...(kind === 'CUSTODY_VAULT' ? vaultReports(venues) : {}),
  }
}

function sending(venues: SimulatedVenues): Pick<Transfers, 'send' | 'find'> {
  const sent = new Map<string, TransferReport>()
  /** Of these the venue never reports anything. */
  const silent = new Set<string>()
  let lost = 0
  return {
    async send({ external_id, asset }) {
      const outcome = venues.nextOutcome()
      if (outcome === 'refused') return { outcome, reason: 'not today', native: 'NOT_TODAY' }
      if (outcome === 'unknown') lost += 1
      if (outcome === 'unknown' && lost % 2 === 1) silent.add(external_id)
      const report: TransferReport = {
        foreign_id: `V-${external_id}`,
        state: 'SUCCESS',
        sub_state: 'COMPLETED',
        reason: null,
        transaction_hash: null,
        confirmations: null,
        fee: decimal('0.01'),
        fee_asset: asset,
      }
      sent.set(external_id, report)
      if (outcome === 'unknown') return { outcome, reason: 'the answer was lost' }
      return {
        outcome,
        report: { ...report, state: 'PENDING', sub_state: 'SENT', fee: null, fee_asset: null },
      }
    },
    async find({ external_id }) {
      if (silent.has(external_id)) return { lookup: 'unknown', reason: 'the venue does not say' }
      const report = sent.get(external_id)
      return report === undefined ? { lookup: 'absent' } : { lookup: 'found', report }
    },
  }
}

const vaultReports = (venues: SimulatedVenues): Pick<Transfers, 'push' | 'outgoing'> => ({
  push: async () => [],
  outgoing: async (cursor) => ({
    movements: venues.outgoing.slice(Number(cursor ?? '0')),
    cursor: String(venues.outgoing.length),
  }),
})
