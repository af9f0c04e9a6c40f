/**
 * The policy as people change it, and what waits for their approval. What a policy says of a
 * command, and the lane's judgement under its lock, are in ledger/policy/.
 */
import type { Endpoint } from '../http/index.ts'
import { EXPIRE_APPROVAL_TASK } from '../ledger/index.ts'
import type { TaskHandler } from '../store/tasks.ts'
import { approvalEndpoints } from './approvals.http.ts'
import { expireApprovalTask } from './decisions.ts'
import type { ApprovalsApp } from './decisions.ts'
import { policyEndpoints } from './policy.http.ts'

export const approvalsEndpoints = (app: ApprovalsApp): Endpoint[] => [
  ...policyEndpoints(app),
  ...approvalEndpoints(app),
]

export const approvalsTasks = (app: ApprovalsApp): Record<string, TaskHandler> => ({
  [EXPIRE_APPROVAL_TASK]: expireApprovalTask(app),
})
