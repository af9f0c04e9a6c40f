/** Who calls: as the guard found it (`Principal`), and as a use case needs it (`Caller`). */
import type { ApiKeyId, UserId, WorkspaceId } from '../core/ids.ts'

/**
 * Who calls: a user in a session, or a program with an API key, whose id then stands for both.
 * `permissions` are the strings that endpoints declare.
 */
export type Principal = {
  workspace: WorkspaceId
  user_id: UserId
  session_id: string
  permissions: ReadonlySet<string>
  /** Of a program. */
  api_key?: ApiKeyTerms
  /** Of a user who must set up a second factor before anything else. */
  enrolling?: true
  /** Of a user with a second factor: when it was last shown in this session. */
  confirmedAt?(): Promise<number>
}

/** The terms on which a program was let in. */
export type ApiKeyTerms = {
  readonly id: ApiKeyId
  readonly permissions: ReadonlySet<string>
  readonly networks: readonly string[]
  readonly expires_at: number
  /** What it moves has limits. */
  readonly limited: boolean
}

/**
 * Answers who calls, at once where that is known. Throws what refuses the request. `from` has the
 * network address, behind proxies that we trust that of the caller.
 */
export type Authenticate = (
  authorization: string | undefined,
  from: { readonly ip: string },
) => Promise<Principal> | Principal

/** Where a request comes from, for the security log. */
export type Source = {
  /** The network address. */
  address: string
  /** What the program calls itself. */
  agent: string | undefined
  /** The live session that it is made in. */
  session_id?: string | undefined
}

/** What stands in the audit trail although nothing was committed. */
type Noted = {
  principal: Principal | undefined
  source: Source
  request_id: string
  /** Of a request for which there is an endpoint. */
  operation: string | undefined
  /** The record that its address names. */
  record_id: string | null
}

/** A request that was refused for who sent it, or for the lack of that. */
export type RefusedRequest = Noted & {
  error: 'PermissionDenied' | 'MissingToken'
  /** What the answer says. */
  reason: string
  authorization: string | undefined
  method: string
  /** As it is declared, with the names of its parameters. */
  path: string
}

/** A call of somebody who was let in that changed nothing, or that only read. */
export type NotedCall = Noted & {
  principal: Principal
  operation: string
  kind: 'CALL_REFUSED' | 'CALL_FAILED' | 'READ'
  details: Readonly<Record<string, unknown>>
}

export type Idempotency = {
  key: string
  request_hash: Buffer
  /** As it was stored before hashes had a key. */
  former_hash?: Buffer
}

/**
 * The first argument of every use case: whose books it works on, who is recorded as having done it,
 * and the key by which a repeat of the request is recognised.
 */
export type Caller = {
  readonly workspace: WorkspaceId
  /** The id of a user or of an API key, or the name of a worker. */
  readonly by: string
  /** Of a program. */
  readonly api_key?: ApiKeyTerms
  readonly idempotency: Idempotency | undefined
  /** Absent where no request asked for the work. */
  readonly source?: Source
  /** The version of the policy that let it pass; absent where people approved it. */
  readonly judged_by?: number
}

/** Work that no request asked for. */
export function workerCaller(workspace: WorkspaceId, by: string): Caller {
  return { workspace, by, idempotency: undefined }
}
