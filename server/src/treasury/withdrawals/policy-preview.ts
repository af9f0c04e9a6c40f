/** What the policy would say of a withdrawal, before anybody asks for it. */
import type { Caller } from '../../http/index.ts'
import { amountOf, assetByCode, policyInForce } from '../../ledger/index.ts'
import type { Judgement, PreviewPolicyBody } from '../../ledger/index.ts'
import type { TreasuryApp } from '../app.ts'
import { routeById } from '../routes/routes.ts'
import { judgeWithdrawal } from './asking.ts'
import { ownersOf } from './withdrawals.ts'

/** Refused: 4004, SCALE, WALLET_OF_ANOTHER_CUSTOMER. */
export async function previewWithdrawal(
  caller: Caller,
  app: TreasuryApp,
  body: PreviewPolicyBody,
): Promise<{ policy_version: number; judgement: Judgement }> {
  const { workspace } = caller
  const policy = await policyInForce(app.db, workspace)
  const route = await routeById(app.db, workspace, body.treasury_route_id, 'treasury_route_id')
  const asset = await assetByCode(app.db, workspace, route.from_wallet.asset)
  const quantity = amountOf(body.quantity, asset, 'quantity')
  const owners = await ownersOf(app.db, route, body, quantity)
  const { judgement } = await judgeWithdrawal(caller, app, route, {
    policy,
    quantity,
    owners,
    requested_by: {},
  })
  return { policy_version: policy.version, judgement }
}
