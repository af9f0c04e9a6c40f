/** Search, for the command palette and the search page. */
import type { DataOf } from '@kontor/client'
import { shortId } from '../api/named.ts'
import { client } from '../api/session.ts'
import { wordFor } from '../language/index.ts'
import { placeOf } from '../parts/links.tsx'
import { numbers } from '../parts/number-format.ts'
import { soughtText } from '../parts/sought-text.ts'
import { recordTitle } from '../parts/record-words.ts'
import { inWords } from '../parts/status.tsx'

export type Hit = { key: string; label: string; hint: string; to: string }
export type SearchResult = DataOf<'get', '/search'>[number]

export const SHORTEST_SEARCH = 2
const PALETTE_HITS = '12'

/** The address of its page, or else of its parent's page. */
export const placeOfHit = ({ kind, id, parent }: SearchResult): string | undefined =>
  placeOf(kind, id, parent)

const fieldOf = (path: string): string => wordFor(path) ?? inWords(path.replaceAll('.', ' '))

/** The field that matched, unless the title shows it. */
export function matchWords({ matched_field, matched_text, title }: SearchResult): string {
  return title.toLowerCase().includes(matched_text.toLowerCase())
    ? ''
    : `${fieldOf(matched_field)}: ${matched_text}`
}

/** Customers of one name, and their accounts, are told by reference and the end of the id. */
export const tellingWords = ({ kind, id, subtitle, parent }: SearchResult): string[] => {
  if (kind !== 'customer' && kind !== 'account') return []
  const whose = parent?.kind === 'customer' ? parent.id : id
  return [...(subtitle === null ? [] : [subtitle]), shortId(whose)]
}

/** Records by id, reference, name and more, the best first. Throws KontorError. */
export async function search(text: string, signal: AbortSignal): Promise<Hit[]> {
  const query = { q: soughtText(text, numbers()), limit: PALETTE_HITS }
  const found = await client().get('/search', { query, signal })
  return found.flatMap((hit) => {
    const to = placeOfHit(hit)
    return to === undefined
      ? []
      : [
          {
            key: `${hit.kind} ${hit.id}`,
            label: recordTitle(hit.kind, hit.title),
            hint: [
              inWords(hit.kind),
              hit.state === null ? '' : inWords(hit.state),
              ...tellingWords(hit),
              matchWords(hit),
            ]
              .filter((part) => part !== '')
              .join(' · '),
            to,
          },
        ]
  })
}
