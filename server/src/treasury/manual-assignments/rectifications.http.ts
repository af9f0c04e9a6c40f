import type { DepositId, WithdrawalId } from '../../core/ids.ts'
import { closed, endpoint, id, listEndpoint, queryFlag, Type } from '../../http/index.ts'
import type { Endpoint, TSchema } from '../../http/index.ts'
import { sql } from '../../store/sql.ts'
import type { TreasuryApp } from '../app.ts'
import { depositById } from '../deposit-rows/rows.ts'
import { withdrawalById } from '../withdrawals/rows.ts'
import { assertThirdPartyPermitted } from '../withdrawals/third-parties.ts'
import { previewRectification } from './rectification-preview.ts'
import { RECTIFICATION_COLUMNS, rectify, withTargets } from './rectifications.ts'
import {
  CreateRectification,
  CreateWithdrawalRectification,
  DepositRectificationRecord,
  RectificationPreview,
  WithdrawalRectificationRecord,
} from './rectifications.schema.ts'
import type {
  DepositRectification,
  Preview,
  WithdrawalRectification,
} from './rectifications.schema.ts'

const EXAMPLE = {
  reason: 'WRONG_ACCOUNT',
  origins: ['01a1fc75-ea2a-7589-aa8f-000000000010'],
  targets: [{ quantity: '1250.5', account_id: '01a1fc75-ea2a-7589-aa8f-000000000019' }],
}

export const rectificationsEndpoints = (app: TreasuryApp): Endpoint[] => [
  listOfDeposit(app),
  rectifyDeposit(app),
  listOfWithdrawal(app),
  rectifyWithdrawal(app),
]

const select = sql`
  select ${RECTIFICATION_COLUMNS}
  from rectifications`
const key = { column: 'id', type: 'uuid' } as const
const query = closed({ dry_run: queryFlag() })
const ofDeposit = closed({ deposit_id: id<DepositId>() })
const ofWithdrawal = closed({ withdrawal_id: id<WithdrawalId>() })

const CREATE =
  'Reverses assignments and books others in one step. The sum of the targets must equal that ' +
  'of the origins. With `dry_run=true` it answers the bookings that it would make and changes ' +
  'nothing; it is refused like the request itself.\n' +
  'Refused: REQUIRED (note with OTHER), STATE_NOT_ALLOWED (an origin is not SUCCESSFUL or was ' +
  'rectified, the movement is not final), DUPLICATE, SUM_MISMATCH, SCALE, NOT_ACTIVE, ' +
  'INSUFFICIENT_BALANCE of the account that it debits.'

const orPreview = <T>(record: TSchema) =>
  Type.Unsafe<T | Preview>({ anyOf: [record, RectificationPreview] })

const listOfDeposit = (app: TreasuryApp) =>
  listEndpoint({
    operation_id: 'listDepositRectifications',
    path: '/treasury/deposits/:deposit_id/rectifications',
    origin: 'SPECIFIED',
    tag: 'Deposits',
    summary: 'Rectifications of a deposit',
    permission: 'rectifications.read',
    params: ofDeposit,
    data: DepositRectificationRecord,
    list: async ({ params: { deposit_id }, caller: { workspace } }) => {
      await depositById(app.db, workspace, deposit_id)
      return {
        select,
        key,
        conditions: [sql`workspace = ${workspace}`, sql`deposit_id = ${deposit_id}`],
        enrich: async (rows) =>
          (await withTargets(app, workspace, rows)) as unknown as DepositRectification[],
      }
    },
  })

const rectifyDeposit = (app: TreasuryApp) =>
  endpoint({
    method: 'POST',
    operation_id: 'rectifyDeposit',
    path: '/treasury/deposits/:deposit_id/rectifications',
    origin: 'SPECIFIED',
    tag: 'Deposits',
    summary: 'Rectify assignments of a deposit',
    permission: 'rectifications.create',
    effect: 'lane',
    description: CREATE,
    params: ofDeposit,
    query,
    body: CreateRectification,
    example: EXAMPLE,
    data: orPreview<DepositRectification>(DepositRectificationRecord),
    handle: async ({ params, query: { dry_run }, body, caller }) =>
      dry_run === true
        ? previewRectification(caller, app, params, body)
        : ((await rectify(caller, app, params, body)) as unknown as DepositRectification),
  })

const listOfWithdrawal = (app: TreasuryApp) =>
  listEndpoint({
    operation_id: 'listWithdrawalRectifications',
    path: '/treasury/withdrawals/:withdrawal_id/rectifications',
    origin: 'SPECIFIED',
    tag: 'Withdrawals',
    summary: 'Rectifications of a withdrawal',
    permission: 'rectifications.read',
    params: ofWithdrawal,
    data: WithdrawalRectificationRecord,
    list: async ({ params: { withdrawal_id }, caller: { workspace } }) => {
      await withdrawalById(app.db, workspace, withdrawal_id)
      return {
        select,
        key,
        conditions: [sql`workspace = ${workspace}`, sql`withdrawal_id = ${withdrawal_id}`],
        enrich: async (rows) =>
          (await withTargets(app, workspace, rows)) as unknown as WithdrawalRectification[],
      }
    },
  })

const rectifyWithdrawal = (app: TreasuryApp) =>
  endpoint({
    method: 'POST',
    operation_id: 'rectifyWithdrawal',
    path: '/treasury/withdrawals/:withdrawal_id/rectifications',
    origin: 'SPECIFIED',
    tag: 'Withdrawals',
    summary: 'Rectify assignments of a withdrawal',
    permission: 'rectifications.create',
    effect: 'lane',
    description: `${CREATE} WALLET_OF_ANOTHER_CUSTOMER as when it is assigned.`,
    params: ofWithdrawal,
    query,
    body: CreateWithdrawalRectification,
    example: EXAMPLE,
    data: orPreview<WithdrawalRectification>(WithdrawalRectificationRecord),
    handle: async ({ params, query: { dry_run }, body, caller, principal }) => {
      assertThirdPartyPermitted(principal, body.targets)
      return dry_run === true
        ? previewRectification(caller, app, params, body)
        : ((await rectify(caller, app, params, body)) as unknown as WithdrawalRectification)
    },
  })
