/** What a venue moves of our terms, and why it does not move the others. */
import type { AssetProtocols, Protocol } from './contract.ts'
import type { Term } from './terms.ts'

/** By asset; `serve` answers what the venue says of a term, or why it cannot serve it. */
export function assetProtocols(
  terms: readonly Term[],
  serve: (term: Term) => Protocol | string,
): AssetProtocols[] {
  const assets = new Map<string, Required<AssetProtocols>>()
  for (const term of terms) {
    const { asset, protocol } = term
    const entry = assets.get(asset) ?? { asset, protocols: [], unserved: [] }
    assets.set(asset, entry)
    const served = serve(term)
    if (typeof served === 'string') entry.unserved.push({ protocol, reason: served })
    else entry.protocols.push(served)
  }
  return [...assets.values()]
}
