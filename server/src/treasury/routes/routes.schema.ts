import type { TreasuryRouteId, WalletId } from '../../core/ids.ts'
import {
  asset,
  closed,
  dateText,
  decimalText,
  flag,
  id,
  currentVersion,
  nullable,
  optional,
  positiveText,
  READ_ONLY_FIELDS,
  record,
  requiredText,
  text,
  Type,
  oneOf,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import type { Moves } from '../../core/moves.ts'
import { WalletShape } from '../wallets/wallets.schema.ts'

export const ALLOWLIST_STATES = [
  'NOT_REQUESTED',
  'PENDING_APPROVAL',
  'APPROVED',
  'REJECTED',
  'FAILED',
  'REMOVED',
] as const
const ROUTE_STATES = ['ACTIVE'] as const
type AllowlistStage = (typeof ALLOWLIST_STATES)[number]

/**
 * Only the venue's own word leads to APPROVED; a changed destination leads back to the beginning
 * from everywhere.
 */
export const ALLOWLIST_MOVES: Moves<AllowlistStage> = {
  NOT_REQUESTED: ['PENDING_APPROVAL'],
  PENDING_APPROVAL: ['APPROVED', 'REJECTED', 'FAILED', 'REMOVED', 'NOT_REQUESTED'],
  APPROVED: ['PENDING_APPROVAL', 'REJECTED', 'FAILED', 'REMOVED', 'NOT_REQUESTED'],
  REJECTED: ['PENDING_APPROVAL', 'NOT_REQUESTED'],
  FAILED: ['PENDING_APPROVAL', 'NOT_REQUESTED'],
  REMOVED: ['PENDING_APPROVAL', 'NOT_REQUESTED'],
}

const MAXIMUM_VALUE = 500
const MAXIMUM_FIELDS = 20

/** The fields of one side, as the sending venue declares them. */
const given = (description: string) =>
  Type.Unsafe<Record<string, string | boolean | null>>({
    type: 'object',
    description,
    maxProperties: MAXIMUM_FIELDS,
    additionalProperties: {
      anyOf: [{ type: 'string', maxLength: MAXIMUM_VALUE }, { type: 'boolean' }, { type: 'null' }],
    },
  })
const FIELDS_PLACE =
  'GET /treasury/wallets/routes/fields/{from_wallet_id}/{protocol} lists the fields.'
export const TransferRequest = closed({
  from: optional(given(`How it is sent. ${FIELDS_PLACE}`)),
  to: optional(
    given(`Whom it reaches. ${FIELDS_PLACE} on_allowlist and allowlist_state are ignored`),
  ),
})
export type TransferRequestBody = Static<typeof TransferRequest>

export const RouteShape = record('TreasuryRoute', {
  id: id<TreasuryRouteId>(),
  label: text(),
  from_wallet_id: id<WalletId>(),
  to_wallet_id: id<WalletId>(),
  protocol: text(),
  transfer: closed({
    from: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
    }),
    to: Type.Unsafe<
      Record<string, string> & { on_allowlist: boolean; allowlist_state: AllowlistStage }
    >({
      type: 'object',
      additionalProperties: { type: 'string' },
      required: ['on_allowlist', 'allowlist_state'],
      properties: {
        on_allowlist: flag('The venue reports it'),
        allowlist_state: oneOf(ALLOWLIST_STATES),
      },
    }),
  }),
  settlement: closed({}),
  state: oneOf(ROUTE_STATES),
  from_wallet: WalletShape,
  to_wallet: WalletShape,
})
export type RouteRecord = Static<typeof RouteShape>

const wallets = {
  from_wallet_id: id<WalletId>('The sending wallet: a wallet at a venue'),
  to_wallet_id: id<WalletId>('The receiving wallet, of the same asset'),
}
const label = requiredText()
const protocol = requiredText(100, 'Transfer protocol of the asset at the sending venue')
const version = optional(currentVersion())
const readOnly = [...READ_ONLY_FIELDS, 'id', 'settlement', 'state', 'from_wallet', 'to_wallet']

export const CreateRoute = closed(
  { ...wallets, protocol, label, transfer: optional(TransferRequest) },
  { title: 'CreateTreasuryRoute' },
)
export type RouteDraft = Static<typeof CreateRoute>

export const ChangeRoute = closed(
  { ...wallets, protocol, label, transfer: optional(TransferRequest), version },
  { title: 'ChangeTreasuryRoute', 'x-read-only': readOnly },
)

/** What is given must be the route's own (wallets) or becomes the route's (label, transfer). */
export const AllowRoute = closed(
  {
    from_wallet_id: optional(wallets.from_wallet_id),
    to_wallet_id: optional(wallets.to_wallet_id),
    protocol: optional(protocol),
    label: optional(label),
    transfer: optional(TransferRequest),
    settlement: optional(closed({})),
    version,
  },
  {
    title: 'AllowTreasuryRoute',
    'x-read-only': readOnly.filter((field) => field !== 'settlement'),
  },
)
export type AllowRouteBody = Static<typeof AllowRoute>

const field = closed(
  {
    name: text(),
    type: oneOf(['string', 'boolean']),
    required: flag(),
    description: text(),
    enum: optional(Type.Array(text())),
  },
  { title: 'TransferField' },
)
export const RouteFieldsShape = closed(
  { from: Type.Array(field), to: Type.Array(field) },
  { title: 'TransferFields' },
)

export const EstimateFee = closed(
  { quantity: positiveText('The quantity that arrives') },
  { title: 'EstimateFee' },
)
const levelFee = closed({ fee: decimalText() })
export const FeeEstimateShape = closed(
  {
    asset: asset('The asset of the fee'),
    custom: flag('Whether the venue takes a custom fee (speed_level CUSTOM)'),
    execution_date: nullable(
      dateText(
        'The day on which the bank executes what is sent now. Null where nothing goes by the day',
      ),
    ),
    sent_as: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description:
        'Texts of the route that the bank is sent in other characters than they were typed, by ' +
        'the names of their fields',
    }),
    speed_levels: closed({ DEFAULT: levelFee, FAST: levelFee, SLOW: levelFee }),
  },
  { title: 'FeeEstimate' },
)
export type FeeEstimateRecord = Static<typeof FeeEstimateShape>
