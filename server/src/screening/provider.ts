/** Who is asked about a name or an address. Here: the lists that the operator has loaded. */
import type { WorkspaceId } from '../core/ids.ts'
import type { Reader } from '../store/db.ts'
import type { Basis, Match, Subject } from './cases.schema.ts'
import { entriesByTerms } from './entries.ts'
import type { ListName } from './lists.schema.ts'
import { lastVersion } from './lists.ts'
import { normalAddress, normalBic, normalName } from './names.ts'

/**
 * `basis` says with what it answers now: an answer holds as long as that stays the same. `unknown`:
 * nobody can say, and the movement waits. `screen` answers what was found.
 */
export type ScreeningProvider = {
  basis(): Promise<Basis[] | { unknown: string }>
  screen(subject: Subject): Promise<Match[]>
}

export function loadedLists(
  reader: Reader,
  workspace: WorkspaceId,
  lists: readonly ListName[],
): ScreeningProvider {
  async function basis(): Promise<Basis[] | { unknown: string }> {
    const versions: Basis[] = []
    for (const list of lists) {
      const version = await lastVersion(reader, workspace, list)
      if (version === undefined) return { unknown: `the list ${list} has not been loaded` }
      versions.push({ list, number: version.number, sha256: version.sha256 })
    }
    return versions
  }
  return {
    basis,
    async screen(subject) {
      const found = await entriesByTerms(reader, workspace, termsOf(subject))
      return found
        .filter(({ list }) => lists.includes(list))
        .map(({ list, version, key, since, kind, listed, entry }) => ({
          list,
          list_version: Number(version),
          entry: key,
          entry_since: Number(since),
          kind,
          listed,
          names: entry.names,
          type: entry.type,
          programs: entry.programs,
          remarks: entry.remarks,
        }))
    },
  }
}

function termsOf({ names, addresses, bics }: Subject) {
  const terms = [
    ...names.map((name) => ({ kind: 'NAME' as const, term: normalName(name) })),
    ...addresses.map((address) => ({ kind: 'ADDRESS' as const, term: normalAddress(address) })),
    ...bics.map((bic) => ({ kind: 'BIC' as const, term: normalBic(bic) })),
  ]
  return terms.filter(({ term }) => term !== '')
}
