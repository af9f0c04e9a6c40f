import type { Caller } from '../../http/index.ts'
import type { Change } from '../changes.ts'
import type { Lane } from './lane.ts'

/**
 * Commits the change and answers `data`. A repeat under the caller's key changes nothing and gets
 * the answer of the first time.
 */
export async function commitWithReply<Data>(
  lane: Lane,
  { idempotency }: Pick<Caller, 'idempotency'>,
  change: Change,
  data: Data,
): Promise<Data> {
  const reply = { data } as { data: never }
  const committed = await lane.commit(
    idempotency === undefined ? change : { ...change, idempotency: { ...idempotency, reply } },
  )
  return committed.verdict === 'replayed' && 'data' in committed.reply
    ? (committed.reply.data as Data)
    : data
}
