/** Search of the command palette and of its page. */
import type { DataOf } from '@kontor/client'
import { client } from '../api/session.ts'
import { placeOf } from '../parts/links.tsx'
import { inWords } from '../parts/status.tsx'

export type Hit = { key: string; label: string; hint: string; to: string }
export type Found = DataOf<'get', '/search'>[number]

export const SHORTEST_SEARCH = 2
const PALETTE_HITS = '12'

/** Where it is seen: its own page, else that of what it belongs to. */
export const whereOf = ({ kind, id, parent }: Found): string | undefined =>
  placeOf(kind, id, parent)

/** Why it was found, unless its title says so already. */
export function foundIn({ matched_field, matched_text, title }: Found): string {
  return title.toLowerCase().includes(matched_text.toLowerCase())
    ? ''
    : `${inWords(matched_field.replaceAll('.', ' '))} ${matched_text}`
}

/** Records by anything they are known by, the best first. Throws KontorError. */
export async function search(text: string, signal: AbortSignal): Promise<Hit[]> {
  const found = await client().get('/search', { query: { q: text, limit: PALETTE_HITS }, signal })
  return found.flatMap((each) => {
    const to = whereOf(each)
    return to === undefined
      ? []
      : [
          {
            key: `${each.kind} ${each.id}`,
            label: each.title,
            hint: [
              inWords(each.kind),
              each.state === null ? '' : inWords(each.state),
              foundIn(each),
            ]
              .filter((part) => part !== '')
              .join(' · '),
            to,
          },
        ]
  })
}
