/** Who calls: as the guard found it (`Principal`), and as a use case needs it (`Caller`). */
import type { UserId, WorkspaceId } from '../core/ids.ts'

/** Who calls. `permissions` are the strings that endpoints declare. */
export type Principal = {
  workspace: WorkspaceId
  user_id: UserId
  session_id: string
  permissions: ReadonlySet<string>
}

/** Answers who calls, at once where that is known. Throws what refuses the request. */
export type Authenticate = (authorization: string | undefined) => Promise<Principal> | Principal

export type Idempotency = { key: string; request_hash: Buffer }

/**
 * The first argument of every use case: whose books it works on, who is recorded as having done it,
 * and the key by which a repeat of the request is recognised.
 */
export type Caller = {
  readonly workspace: WorkspaceId
  /** A user's id, or the name of a worker. */
  readonly by: string
  readonly idempotency: Idempotency | undefined
}

/** Work that no request asked for. */
export function workerCaller(workspace: WorkspaceId, by: string): Caller {
  return { workspace, by, idempotency: undefined }
}
