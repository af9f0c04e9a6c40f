/**
 * The inner floors of the console as data: which room stands on which floor. A file imports its own
 * room freely, and any file of a lower floor; never up, never sideways. The test beside this file
 * enforces it. A folder is a room; so is a file at the top, and the table of pages, which stands at
 * the bottom so that everything can link to a page.
 */
const FLOORS: readonly { floor: number; rooms: readonly string[]; holds: string }[] = [
  { floor: 8, rooms: ['main.tsx'], holds: 'start of the page, theme, login' },
  { floor: 7, rooms: ['routes.tsx'], holds: 'addresses: each page with its code' },
  { floor: 6, rooms: ['pages'], holds: 'one module per page' },
  { floor: 5, rooms: ['frame'], holds: 'what surrounds a page: navigation, palette, menus, login' },
  {
    floor: 4,
    rooms: ['record', 'together'],
    holds: 'a record over its list · one action for many rows',
  },
  { floor: 3, rooms: ['list', 'action'], holds: 'lists · forms and dialogs' },
  { floor: 2, rooms: ['parts'], holds: 'single values, states, links, shortcuts' },
  { floor: 1, rooms: ['api', 'pages/index.ts'], holds: 'the typed client · the table of pages' },
  { floor: 0, rooms: ['language'], holds: 'what is said, in English and German' },
]

export function floorOf(room: string): number | undefined {
  return FLOORS.find(({ rooms }) => rooms.includes(room))?.floor
}

/** Why `from` may not import `to` (paths below console/src), or undefined when it may. */
export function breach(from: string, to: string): string | undefined {
  const [source, target] = [roomOf(from), roomOf(to)]
  if (source === target) return undefined
  const [above, below] = [floorOf(source), floorOf(target)]
  if (above === undefined) return `${source} stands on no floor`
  if (below === undefined) return `${target} stands on no floor`
  if (below > above) return `${from} imports up: ${to}`
  return below === above ? `${from} imports sideways: ${to}` : undefined
}

export function roomOf(path: string): string {
  return floorOf(path) === undefined ? (path.split('/')[0] ?? path) : path
}
