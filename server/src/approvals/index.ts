/**
 * The policy as people change it, and what waits for their approval. What a policy says of a
 * command, and the lane's judgement under its lock, are in ledger/policy/.
 */
import type { Endpoint } from '../http/index.ts'
import { EXPIRE_APPROVAL_TASK } from '../ledger/index.ts'
import type { TaskHandler } from '../store/tasks.ts'
import { approvalEndpoints } from './approvals.http.ts'
import { EXECUTE_APPROVAL_TASK, expireApprovalTask } from './decisions.ts'
import type { ApprovalsApp } from './decisions.ts'
import { policyEndpoints } from './policy.http.ts'
import { executeApprovalTask } from './requests.ts'

export const approvalsEndpoints = (app: ApprovalsApp): Endpoint[] => [
  ...policyEndpoints(app),
  ...approvalEndpoints(app),
]

/** `endpoints`: all of the service, of which those that were approved are done. */
export const approvalsTasks = (
  app: ApprovalsApp,
  endpoints: () => readonly Endpoint[],
): Record<string, TaskHandler> => ({
  [EXPIRE_APPROVAL_TASK]: expireApprovalTask(app),
  [EXECUTE_APPROVAL_TASK]: executeApprovalTask(app, endpoints),
})

export { underPolicy } from './under-policy.ts'
