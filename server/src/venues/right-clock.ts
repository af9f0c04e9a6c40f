/**
 * "Absent" follows from the time since the sending, and what is absent is sent again. A process
 * whose clock is wrong would send it too early. So the answer counts only where the clock is right
 * before and after the lookup.
 */
import type { Lookup, Venue } from './contract.ts'

/** Why the clock of this process is wrong; undefined while it is right. */
export type ClockFault = () => string | undefined

export function withRightClock(adapter: Venue, fault: ClockFault): Venue {
  const { transfers, trading, wallets } = adapter
  const checked =
    <Asked, Report>(find: (asked: Asked) => Promise<Lookup<Report>>) =>
    async (asked: Asked): Promise<Lookup<Report>> => {
      const before = fault()
      const answer = await find(asked)
      const reason = before ?? fault()
      return answer.lookup === 'absent' && reason !== undefined
        ? { lookup: 'unknown', reason }
        : answer
    }
  return {
    ...adapter,
    ...(transfers && {
      transfers: { ...transfers, find: checked((asked) => transfers.find(asked)) },
    }),
    ...(trading && { trading: { ...trading, find: checked((asked) => trading.find(asked)) } }),
    ...(wallets && { wallets: { ...wallets, find: checked((asked) => wallets.find(asked)) } }),
  }
}
