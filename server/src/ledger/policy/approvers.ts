/** Who may approve, and which approvals are missing. */
import type { ApprovalGroup } from './policy.schema.ts'

type Approver = { user_id: string; roles: readonly string[] }

/** The groups, by their places, that this person counts for. */
export const groupsOf = (
  groups: readonly ApprovalGroup[],
  { user_id, roles }: Approver,
): number[] =>
  groups.flatMap((group, place) => {
    const anybody = group.roles === undefined && group.users === undefined
    const named = group.users?.includes(user_id) ?? false
    const inRole = group.roles?.some((role) => roles.includes(role)) ?? false
    return anybody || named || inRole ? [place] : []
  })

/**
 * How many approvals each group still lacks. A person counts for one group alone, so that two
 * groups are never one pair of eyes; of several for the one where it helps.
 */
export function missingApprovals(
  groups: readonly Pick<ApprovalGroup, 'n'>[],
  approvals: readonly (readonly number[])[],
): number[] {
  const seats = groups.flatMap(({ n }, group) => Array.from({ length: n }, () => group))
  const taken: (number | undefined)[] = seats.map(() => undefined)
  const seat = (person: number, tried: Set<number>): boolean => {
    for (const [place, group] of seats.entries()) {
      if (tried.has(place) || !(approvals[person]?.includes(group) ?? false)) continue
      tried.add(place)
      const other = taken[place]
      if (other !== undefined && !seat(other, tried)) continue
      taken[place] = person
      return true
    }
    return false
  }
  for (const person of approvals.keys()) seat(person, new Set())
  const missing = groups.map(() => 0)
  for (const [place, group] of seats.entries())
    if (taken[place] === undefined) missing[group] = (missing[group] ?? 0) + 1
  return missing
}

export const isComplete = (missing: readonly number[]): boolean => missing.every((n) => n === 0)
