import type { Permission } from '../../access/index.ts'
import { permissionRequired } from '../../core/errors.ts'
import type { DepositId } from '../../core/ids.ts'
import { closed, endpoint, id, Type } from '../../http/index.ts'
import type { Endpoint, Principal } from '../../http/index.ts'
import type { TreasuryApp } from '../app.ts'
import { DepositRecord } from '../deposit-rows/deposits.schema.ts'
import { relateDeposit, unrelateDeposit } from './relations.ts'
import type { RelateDepositBody } from './relations.schema.ts'
import { RelateDeposit, TransferSuggestion, UnrelateDeposit } from './relations.schema.ts'
import { transferSuggestionsFor } from './transfer-suggestions.ts'

const TO_PART: Permission = 'settlements.initiate'

/** Throws PermissionDenied: what pays a part says that it has moved. */
function assertPartPermitted(
  { permissions }: Pick<Principal, 'permissions'>,
  { part_id }: RelateDepositBody,
): void {
  if (part_id !== undefined && !permissions.has(TO_PART))
    throw permissionRequired(TO_PART, 'part_id')
}

const ofDeposit = { tag: 'Deposits', params: closed({ deposit_id: id<DepositId>() }) } as const

export function relationsEndpoints(app: TreasuryApp): Endpoint[] {
  return [
    endpoint({
      ...ofDeposit,
      method: 'GET',
      operation_id: 'suggestDepositTransfers',
      path: '/treasury/deposits/:deposit_id/transfer-suggestions',
      origin: { ours: 'helps to find the own transfer that arrives as a deposit' },
      summary: 'Suggested own transfers of a deposit',
      permission: 'assignments.create',
      effect: 'read',
      description:
        'Own transfers to its wallet that have not arrived, and parts of settlements that are ' +
        'expected there, best first, each with the reasons; at most ten. None when the deposit ' +
        'cannot be related. Nothing is changed.',
      data: Type.Array(TransferSuggestion),
      handle: ({ params, principal }) =>
        transferSuggestionsFor(app.db, principal.workspace, params.deposit_id),
    }),
    endpoint({
      ...ofDeposit,
      method: 'POST',
      operation_id: 'relateDeposit',
      path: '/treasury/deposits/:deposit_id/relate',
      origin: { ours: 'a person may know which own transfer arrives as a deposit' },
      summary: 'Relate a deposit to an own transfer or a settlement part',
      permission: 'assignments.create',
      effect: 'lane',
      description:
        'The deposit needs no assignment then, and the transfer has arrived, or the part of the ' +
        'settlement is paid. Takes either `withdrawal_id` or `part_id`, which needs ' +
        '`settlements.initiate` too. Refused: REQUIRED, ' +
        'STATE_NOT_ALLOWED, CONFLICT (either is related otherwise, or it is another wallet), ' +
        'ASSET_MISMATCH, SUM_MISMATCH, PERIOD_CLOSED.',
      body: RelateDeposit,
      example: { withdrawal_id: '01a1fc75-ea2a-7589-aa8f-000000000015' },
      data: DepositRecord,
      handle: ({ params, body, caller, principal }) => {
        assertPartPermitted(principal, body)
        return relateDeposit(caller, app, params.deposit_id, body)
      },
    }),
    endpoint({
      ...ofDeposit,
      method: 'POST',
      operation_id: 'unrelateDeposit',
      path: '/treasury/deposits/:deposit_id/unrelate',
      origin: { ours: 'what was related may be wrong, also when Kontor did it' },
      summary: 'Take back what a deposit is related to',
      permission: 'rectifications.create',
      effect: 'lane',
      description:
        'Also of an arrival that Kontor recognised. The deposit is UNASSIGNED again, or ' +
        'PARTIALLY_ASSIGNED where accounts got some of it, and the transfer or the part waits ' +
        'for its arrival. Refused: STATE_NOT_ALLOWED (not related; ' +
        'it brings a withdrawal back; it was named at the settlement by hand), PERIOD_CLOSED.',
      body: UnrelateDeposit,
      example: { reason: "A customer's wire of the same amount" },
      data: DepositRecord,
      handle: ({ params, body, caller }) => unrelateDeposit(caller, app, params.deposit_id, body),
    }),
  ]
}
