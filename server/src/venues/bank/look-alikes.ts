/**
 * Entries that look alike and stand for files of ours: two files may have one total. Their place in
 * a message says nothing of which is which, as each message has its own order. The file does, where
 * the bank names it. What looks alike and names no file of ours keeps its place.
 */
import type { AccountEntry } from './account-entry.ts'
import { fileIdsOf } from './file-names.ts'
import { numberedKey, placeAndLook } from './identity.ts'
import type { BankMessage } from './messages.ts'

/** Of all that look alike, by the place in their keys: the files that each has been said to be. */
type Places = Set<string>[]

type Received = { message: BankMessage; arrival: number }

/** The same messages; the same entry has the same key in all of them. */
export function tellApart<File extends Received>(files: readonly File[]): File[] {
  const looks = new Map<string, Places>()
  for (const { message } of files)
    for (const entry of message.entries)
      if (fileIdsOf(entry).length > 0) looks.set(placeAndLook(entry.key).look, [])
  if (looks.size === 0) return [...files]
  const told = new Map(
    files
      .toSorted((one, other) => one.arrival - other.arrival)
      .map((file) => [file, { ...file, message: withKeys(file.message, looks) }]),
  )
  return files.map((file) => told.get(file) ?? file)
}

function withKeys(message: BankMessage, looks: ReadonlyMap<string, Places>): BankMessage {
  const told = new Map<AccountEntry, AccountEntry>()
  const alike = Map.groupBy(message.entries, ({ key }) => placeAndLook(key).look)
  for (const [look, entries] of alike) {
    const places = looks.get(look)
    if (places === undefined) continue
    for (const listing of listingsOf(entries))
      for (const [entry, place] of placesOf(listing, places))
        told.set(entry, { ...entry, key: numberedKey(look, place) })
  }
  if (told.size === 0) return message
  const tell = (entry: AccountEntry) => told.get(entry) ?? entry
  return {
    ...message,
    entries: message.entries.map(tell),
    statements: message.statements.map((statement) => ({
      ...statement,
      entries: statement.entries.map(tell),
    })),
  }
}

/** A message may list the account more than once, and counts anew each time. */
function listingsOf(entries: readonly AccountEntry[]): AccountEntry[][] {
  const listings: AccountEntry[][] = []
  for (const entry of entries) {
    const listing = listings.at(-1)
    if (listing === undefined || placeAndLook(entry.key).place === 0) listings.push([entry])
    else listing.push(entry)
  }
  return listings
}

/** First those of a file that is known, then in their order those that may be a known entry. */
function placesOf(
  listing: readonly AccountEntry[],
  places: Places,
): ReadonlyMap<AccountEntry, number> {
  const found = new Map<AccountEntry, number>()
  const taken = new Set<number>()
  const take = (entry: AccountEntry, place: number): void => {
    taken.add(place)
    found.set(entry, place)
    places[place] = new Set([...(places[place] ?? []), ...fileIdsOf(entry)])
  }
  const find = (fits: (ids: ReadonlySet<string>) => boolean): number =>
    places.findIndex((ids, place) => !taken.has(place) && fits(ids))
  for (const entry of listing) {
    const place = find((ids) => fileIdsOf(entry).some((id) => ids.has(id)))
    if (place >= 0) take(entry, place)
  }
  for (const entry of listing) {
    if (found.has(entry)) continue
    const isNameless = fileIdsOf(entry).length === 0
    const place = find((ids) => isNameless || ids.size === 0)
    take(entry, place >= 0 ? place : places.length)
  }
  return found
}
