/** What each venue of the file shall move, in its words, compared with what it moves now. */
import { ApiError } from '../core/errors.ts'
import type { ErrorDetail } from '../core/errors.ts'
import type { VenueId, WorkspaceId } from '../core/ids.ts'
import type { Tx } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import { waysInFlight } from '../treasury/index.ts'
import {
  clashesOf,
  declaredTerms,
  networkOf,
  problemsOfAccounts,
  readConfiguredVenues,
  readStoredTerms,
} from '../venues/index.ts'
import type { PlacedTerm, Term, VenueNeeds, VenueToPut } from '../venues/index.ts'
import { keyOf } from './declarations.ts'
import type { Config } from './configuration.schema.ts'
import { needsOf } from './needs.ts'

type Known = {
  /** Keys of the declarations of venues whose addresses were given over the API. */
  judged: ReadonlySet<string>
  /** What was needed of each venue, where the wallets and routes of the file are not at hand. */
  needs?: ReadonlyMap<string, VenueNeeds | undefined>
}

/**
 * Under the lane's lock, so that no withdrawal is made meanwhile. Throws 3001 with every entry that
 * is wrong: an asset that another one's words name, a way that withdrawals still take, and an
 * account that is another venue's.
 */
export async function venuesToPut(
  tx: Tx,
  workspace: WorkspaceId,
  config: Config,
  { judged, needs: stored_needs }: Known,
): Promise<VenueToPut[]> {
  const assets = config.assets ?? []
  // An asset that the file no longer names is still moved: its wallets stay.
  const stored = await tx.query<{ code: string; scale: number }>(sql`
    select code, scale
    from assets
    where workspace = ${workspace}
    order by code`)
  const scales = new Map(stored.map(({ code, scale }) => [code, scale]))
  const codes = new Set(scales.keys())
  const known = await readStoredTerms(tx, workspace)
  const configured = await readConfiguredVenues(tx, workspace)
  const problems = problemsOfAccounts(config.venues ?? [], configured)
  const venues: VenueToPut[] = []
  for (const [index, venue] of (config.venues ?? []).entries()) {
    const needs =
      stored_needs === undefined
        ? needsOf(config, venue.key, scales)
        : needsAgain(config, venue.key, { scales, before: stored_needs.get(venue.key) })
    const before = known.get(venue.key)
    const placed = declaredTerms(venue, assets, codes, before?.terms)
    const terms = placed.map(({ term }) => term)
    const path = `venues[${index}]`
    problems.push(...clashesOf(placed, path))
    if (before !== undefined)
      problems.push(...(await problemsOfChange(tx, workspace, { ...before, after: placed, path })))
    const isJudged = judged.has(keyOf('VENUE', venue.key))
    const moves = {
      ...(venue.kind !== 'BANK' && { terms }),
      needs,
      ...(isJudged && { judged: true as const }),
    }
    venues.push({ ...venue, moves })
  }
  if (problems.length === 0) return venues
  // Venues of one kind have the words of an asset in common.
  const faults = [...new Map(problems.map((fault) => [fault.message, fault])).values()]
  throw new ApiError('BadRequest', faults.map(({ message }) => message).join('; '), faults)
}

/** What wallets and routes need stays; what price routes need is read anew. */
function needsAgain(
  config: Config,
  venue: string,
  { scales, before }: { scales: ReadonlyMap<string, number>; before: VenueNeeds | undefined },
): VenueNeeds {
  const assets = (before?.assets ?? []).map((need) => ({
    ...need,
    scale: scales.get(need.asset) ?? need.scale,
  }))
  return { assets, pairs: needsOf(config, venue, scales).pairs }
}

type Change = {
  venue_id: VenueId
  terms: readonly Term[]
  after: readonly PlacedTerm[]
  path: string
}

/** A withdrawal that is under way is looked up by the words that it was sent with. */
async function problemsOfChange(
  tx: Tx,
  workspace: WorkspaceId,
  { venue_id, terms, after, path }: Change,
): Promise<ErrorDetail[]> {
  const changed = terms.filter((term) => !after.some((other) => isSame(term, other)))
  if (changed.length === 0) return []
  const used = await waysInFlight(tx, workspace, venue_id)
  return used
    .filter((way) => changed.some((term) => isWay(term, way)))
    .map(({ asset, protocol, withdrawals }) => {
      const count = withdrawals === 1 ? 'a withdrawal' : `${withdrawals} withdrawals`
      const way = `${asset} over ${protocol}`
      const message = `${path}: ${count} of ${way} must end before its words change`
      return { code: 'IN_USE', path, message }
    })
}

const isWay = (term: Term, { asset, protocol }: Pick<Term, 'asset' | 'protocol'>): boolean =>
  term.asset === asset && term.protocol === protocol

/** Words that are shipped may differ after an upgrade: no file could bring the former ones back. */
function isSame(one: Term, { term: other, ofVenue, ofAsset }: PlacedTerm): boolean {
  const isShipped = ofVenue === null && ofAsset === null
  return (
    isWay(one, other) &&
    one.native === other.native &&
    (isShipped || networkOf(one) === networkOf(other))
  )
}
